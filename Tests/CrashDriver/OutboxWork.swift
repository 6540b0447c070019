import DataProtection
import FoundationEssentials
import Glibc

/// Saves and sends, over and over, until it is killed; what was saved and what arrived is written
/// into a folder beside the volume.
struct OutboxWork {
    private let place: Place
    /// Holds `saved`, a line for each item that is durable, and `arrived`, one for each delivery.
    private let folder: String

    init(_ place: Place, folder: String) {
        self.place = place
        self.folder = folder
    }

    /// Opens the volume as soon as the process that has it lets go of it.
    private func open() throws(ProtectionError) -> ProtectedVolume {
        var hasSaidBusy = false
        while true {
            do throws(ProtectionError) {
                return try place.open().0
            } catch {
                guard error.code == .busy else { throw error }
                if !hasSaidBusy { Talk.say("busy") }
                hasSaidBusy = true
                usleep(1000)
            }
        }
    }

    private static var options: OutboxOptions {
        var options = OutboxOptions()
        options.firstRetryDelay = .milliseconds(1)
        options.longestRetryDelay = .milliseconds(1)
        return options
    }

    func run() async throws {
        let volume = try open()
        let outbox = try volume.outbox("Outbox", options: Self.options)
        Talk.say("ready")
        var round = 0
        while true {
            round += 1
            for number in 0..<3 {
                if number == 2 { volume.lock() }
                let text = "\(getpid())-\(round)-\(number)"
                try await outbox.save(Data(text.utf8), named: "item")
                note("saved", text)
            }
            try volume.unlock(passcode: Passcode("one"))
            let folder = folder
            _ = try await outbox.drain { item in
                Self.note(
                    folder + "/arrived", item.key + " " + String(decoding: item.body, as: UTF8.self)
                )
                // Every now and then the receiver has it and the sender hears nothing.
                if item.attempt == 1, item.id % 7 == 0 { throw OutboxFailure.tryLater() }
            }
        }
    }

    /// Sends what is left, and says how much that was.
    func finish() async throws {
        let volume = try open()
        let outbox = try volume.outbox("Outbox", options: Self.options)
        let folder = folder
        var count = 0
        while true {
            let status = try await outbox.drain { item in
                Self.note(
                    folder + "/arrived", item.key + " " + String(decoding: item.body, as: UTF8.self)
                )
            }
            if case .drained(let sent) = status {
                count += sent
                break
            }
            usleep(1_000_000)
        }
        let left = try await outbox.items().count
        let report = try volume.verify()
        try volume.close()
        print(
            "finished \(count) left \(left) damaged \(report.damagedCount) "
                + "leftovers \(report.leftoverCount)"
        )
    }

    private func note(_ file: String, _ line: String) { Self.note(folder + "/" + file, line) }

    /// Appends a line, durably, in one write.
    private static func note(_ path: String, _ line: String) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let bytes = Array((line + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { exit(2) }
        close(descriptor)
    }
}
