import DataProtection
import FoundationEssentials

/// `drain --watch`: looks for something to send, sends it, and looks again.
///
/// A volume is open in one process at a time. So it is opened for each look and closed again, for
/// others to save in it meanwhile; and the passcode, which costs time, is tried only when there is
/// something to send.
struct OutboxWatch {
    /// How long to wait between two looks, in seconds.
    private static let pause = 5.0
    /// How long to wait while the credentials are refused, in seconds.
    private static let longPause = 60.0

    /// The longest wait for a next try, in seconds, by the options' recommended values.
    private static let longestDelay =
        TimeInterval(OutboxOptions().longestRetryDelay.components.seconds)

    private let arguments: Arguments
    private let drain: OutboxDrain

    init(_ arguments: Arguments, _ drain: OutboxDrain) {
        self.arguments = arguments
        self.drain = drain
    }

    /// Goes on until a signal comes, which is how it is meant to end.
    func run() throws {
        Interruption.hold()
        do {
            let passcode = try knownPasscode()
            var isFirst = true
            while true {
                let pause = try look(passcode, hastens: isFirst && arguments.has(OutboxOption.now))
                isFirst = false
                try Interruption.pause(pause)
            }
        } catch is Interrupted {
            return
        }
    }

    /// The passcode, tried once; `nil` for a volume that opens without.
    private func knownPasscode() throws -> Passcode? {
        let volume = try VolumeAccess.open(arguments)
        defer { try? volume.close() }
        guard volume.lockState == .beforeFirstUnlock else { return nil }
        let passcode: Passcode
        if let path = arguments.value(.passcodeFile) {
            passcode = try Secrets.passcode(inFile: path)
        } else if Terminal.canAsk {
            passcode = try Secrets.askPasscode()
        } else {
            // It would wait for ever: each run of the command begins before the first unlock.
            throw Failure(
                "what is in the outbox is sealed",
                remedy: "give the passcode with --passcode-file FILE", exitCode: .sealed)
        }
        try volume.unlock(passcode: passcode)
        return passcode
    }

    /// Sends what there is.
    ///
    /// - Returns: how long to wait before the next look, in seconds.
    private func look(_ passcode: Passcode?, hastens: Bool) throws -> Double {
        let volume: ProtectedVolume
        do {
            volume = try VolumeAccess.open(arguments, isQuiet: true)
        } catch let error as ProtectionError where error.code == .busy {
            return Self.pause
        }
        do {
            let pause = try send(volume, passcode, hastens: hastens)
            try volume.close()
            return pause
        } catch {
            try? volume.close()
            throw error
        }
    }

    private func send(
        _ volume: ProtectedVolume, _ passcode: Passcode?, hastens: Bool
    ) throws -> Double {
        // An outbox that is not there yet is one in which nothing is.
        guard try volume.kindIfPresent(of: arguments.outboxFolder) == .folder else {
            return Self.pause
        }
        let outbox = try drain.open(in: volume)
        guard try AsyncWork.wait({ try await Self.hasWork(outbox, hastens) }) else {
            return Self.pause
        }
        if let passcode, volume.lockState == .beforeFirstUnlock {
            try volume.unlock(passcode: passcode)
        }
        let report = try drain.drain(outbox, hastens: hastens)
        try drain.tell(report)
        if let failure = try drain.failure(report, outbox) { Terminal.say(failure.message) }
        return report.status == .waitingForAuthentication ? Self.longPause : Self.pause
    }

    /// Whether a drain would send something.
    private static func hasWork(_ outbox: ProtectedOutbox, _ hastens: Bool) async throws -> Bool {
        guard await outbox.status.activity != .waiting(.paused) else { return false }
        var last: OutboxItem.ID = 0
        while let item = try await outbox.items(after: last, limit: 1).first {
            switch item.state {
            case .pending, .sending: return true
            case .waitingForRetry(let until):
                // A time that is farther off than any wait says that the clock was set back.
                let left = until.timeIntervalSince(Date())
                return hastens || left <= 0 || left > longestDelay
            case .blocked: return false
            case .setAside: last = item.id
            }
        }
        return false
    }
}
