import DataProtection
import Dispatch
import Glibc
import Synchronization

/// The program that sends: it is run once for each item, and its exit status is the answer.
final class OutboxProgram: Sendable {
    /// What an exit status means. The numbers are those of `sysexits.h`.
    private enum Status {
        static let tryLater: Int32 = 75
        static let noPermission: Int32 = 77
    }

    /// How long a program that was asked to end may take, in seconds.
    private static let grace = 2.0

    private let program: String
    private let words: [String]
    private let deadline: Double
    private let finishesItem: Bool
    /// One after the other, also where the engine does not wait any more for one that is ended.
    private let queue = DispatchQueue(label: "seal.outbox")

    /// Describes the program.
    ///
    /// - Parameters:
    ///   - deadline: how long it may take, in seconds.
    ///   - finishesItem: whether a signal to this process leaves it the time to end by itself.
    init(_ program: String, _ words: [String], deadline: Int, finishesItem: Bool) {
        self.program = program
        self.words = words
        self.deadline = Double(deadline)
        self.finishesItem = finishesItem
    }

    /// Waits for the end of a program that the engine does not wait for any more.
    func waitForEnd() { queue.sync {} }

    /// Hands an item to the program, and says what its end means.
    @Sendable func send(_ item: OutboxItem) async throws {
        let stop = StopFlag()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(with: Result { try self.run(item, stop) })
                }
            }
        } onCancel: {
            stop.raise()
        }
    }

    private func run(_ item: OutboxItem, _ stop: StopFlag) throws {
        let child: ChildProcess
        do throws(HostFailure) {
            child = try ChildProcess(
                program, words, environment: Self.environment(of: item), output: try Self.output())
        } catch {
            throw OutboxUnavailable(
                Failure(
                    "\(error.message): it cannot be started, so nothing was tried",
                    remedy: "name one that can be executed, by its path or as it is found in PATH;"
                        + " its arguments are words of their own"))
        }
        var body = Array(item.body)
        defer { ProcessCalls.wipe(&body) }
        let (ending, wasAsked) = follow(child, body, stop)
        child.finishListening()
        let text = String(decoding: child.errorBytes, as: UTF8.self)
        try judge(ending, item, text, wasAsked: wasAsked)
    }

    /// Serves the program until it ends.
    ///
    /// - Returns: how it ended, and whether it was asked to.
    private func follow(
        _ child: ChildProcess, _ body: borrowing [UInt8], _ stop: StopFlag
    ) -> (ChildProcess.Ending, wasAsked: Bool) {
        // The engine's own deadline comes first, so that it knows why the item failed.
        let end = ProcessCalls.seconds() + deadline + 0.2
        var killTime: Double?
        while true {
            child.exchange(body, atMost: 50)
            if let ending = child.ending() { return (ending, killTime != nil) }
            let now = ProcessCalls.seconds()
            if let time = killTime {
                if now > time { child.kill(SIGKILL) }
            } else if now > end || (stop.isRaised && !(finishesItem && Interruption.isPending)) {
                child.kill(SIGTERM)
                killTime = now + Self.grace
            }
        }
    }

    private func judge(
        _ ending: ChildProcess.Ending, _ item: OutboxItem, _ text: String, wasAsked: Bool
    ) throws {
        guard ending != .exit(0) else { return }
        let words: String
        let failure: any Error
        switch ending {
        case _ where wasAsked:
            // However it says so, it was not done; and who ends this process says nothing about it.
            guard !Interruption.isPending else { throw CancellationError() }
            (words, failure) = ("it took too long, and was ended", EndedBySignal())
        case .exit(Status.tryLater):
            (words, failure) = ("try later", OutboxFailure.tryLater())
        case .exit(Status.noPermission):
            (words, failure) = ("authentication is needed", OutboxFailure.needsAuthentication)
        case .exit(let status):
            (words, failure) = ("refused, with status \(status)", OutboxFailure.refused(text))
        case .signal(let number):
            (words, failure) = ("ended by signal \(number)", EndedBySignal())
        }
        Terminal.say("item \(item.id): \(words)")
        // A log outlives the lock: what the receiver said of the item is shown to a person alone.
        if Terminal.showsErrors {
            for line in text.split(separator: "\n") { Terminal.say("item \(item.id): \(line)") }
        }
        throw failure
    }

    private static func environment(of item: OutboxItem) -> [(name: String, value: String)] {
        [
            ("SEAL_OUTBOX_KEY", item.key), ("SEAL_OUTBOX_ITEM", "\(item.id)"),
            ("SEAL_OUTBOX_NAME", item.name), ("SEAL_OUTBOX_ATTEMPT", "\(item.attempt)"),
        ]
    }

    /// Results of `seal` alone go to standard output.
    private static func output() throws(HostFailure) -> HostFile {
        if Terminal.showsErrors { return .standardError }
        return try HostFile(opening: "/dev/null", flags: O_WRONLY)
    }
}

/// The program did not end by itself, which says nothing about trying again.
private struct EndedBySignal: Error {}

/// Whether somebody asked for the end.
private final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}
