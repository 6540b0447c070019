import DataProtection
import FoundationEssentials
import Glibc

/// What an outbox costs: a durable item against the same with plain system calls, and an item among
/// many against one among few.
enum Outbox {
    private static let bodyByteCount = 1000

    static func run(folder: String, count: Int, rounds: Int) async throws {
        let device = try DeviceKey.inMemory()
        let volume = try ProtectedVolume.create(
            at: folder + "/volume", passcode: nil, deviceKey: device)
        let plain = PlainFolder(folder + "/plain")
        print("| what | outbox, µs each | plain, µs each | speed, outbox ÷ plain |")
        print("|---|---|---|---|")
        try await durable(try volume.outbox("Durable"), plain, rounds)
        print("\n| outbox of | save, µs each | deliver, µs each | resident memory, MiB |")
        print("|---|---|---|---|")
        for size in [1000, count] {
            try await many(try volume.outbox("Many \(size)"), size)
            plainly(PlainFolder(folder + "/plain \(size)"), size)
        }
        try volume.close()
    }

    /// Saving against write, fsync, rename, fsync of the folder.
    private static func durable(
        _ outbox: ProtectedOutbox, _ plain: PlainFolder, _ rounds: Int
    ) async throws {
        let body = [UInt8](repeating: 7, count: bodyByteCount)
        let data = Data(body)
        let batch = 20
        var pairs: [(Double, Double)] = []
        for round in 0...(rounds * 5) {
            let start = ContinuousClock.now
            for _ in 0..<batch { try await outbox.save(data, named: "item") }
            let middle = ContinuousClock.now
            for number in 0..<batch { plain.createDurably("item \(round) \(number)", body) }
            let end = ContinuousClock.now
            if round > 0 { pairs.append((seconds(middle - start), seconds(end - middle))) }
        }
        let unit = 1e6 / Double(batch)
        print(
            "| save \(bodyByteCount) bytes, durably "
                + "| \((median(pairs.map(\.0)) * unit).rounded(to: 0)) "
                + "| \((median(pairs.map(\.1)) * unit).rounded(to: 0)) "
                + "| \(median(pairs.map { $0.1 / $0.0 }).rounded(to: 2)) |")
    }

    /// The last thousand of so many, saved and then delivered.
    private static func many(_ outbox: ProtectedOutbox, _ count: Int) async throws {
        let data = Data([UInt8](repeating: 7, count: 100))
        let measured = min(1000, count)
        for _ in 0..<(count - measured) { try await outbox.save(data, named: "item") }
        let start = ContinuousClock.now
        for _ in 0..<measured { try await outbox.save(data, named: "item") }
        let saving = seconds(ContinuousClock.now - start)
        let resident = Host.residentByteCount()
        let last = Int64(measured)
        let begin = ContinuousClock.now
        let status = try await outbox.drain { item in
            if item.id > last { throw OutboxFailure.needsAuthentication }
        }
        let sending = seconds(ContinuousClock.now - begin)
        precondition(status != .waitingForUnlock)
        let unit = 1e6 / Double(measured)
        print(
            "| \(count) items | \((saving * unit).rounded(to: 1)) | \((sending * unit).rounded(to: 1)) "
                + "| \((Double(resident) / 1_048_576).rounded(to: 1)) |")
    }

    /// The same number of plain files of a page: what the host itself does with many.
    private static func plainly(_ plain: PlainFolder, _ count: Int) {
        let page = [UInt8](repeating: 7, count: 4096)
        let measured = min(1000, count)
        for number in 0..<(count - measured) { plain.create("\(number)", page) }
        let start = ContinuousClock.now
        for number in (count - measured)..<count { plain.create("\(number)", page) }
        let saving = seconds(ContinuousClock.now - start)
        let begin = ContinuousClock.now
        for number in 0..<measured {
            plain.read("\(number)", page.count)
            plain.remove("\(number)")
        }
        let sending = seconds(ContinuousClock.now - begin)
        let unit = 1e6 / Double(measured)
        print(
            "| (\(count) plain files) | \((saving * unit).rounded(to: 1)) "
                + "| \((sending * unit).rounded(to: 1)) | |")
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

/// What the kernel says about this process.
enum Host {
    /// Its memory that is in RAM, in bytes. See: 'man 5 proc_pid_statm'.
    static func residentByteCount() -> Int {
        let file = open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = max(0, read(file, &bytes, bytes.count))
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize())
    }
}
