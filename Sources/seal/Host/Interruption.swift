import Glibc
import Synchronization

/// Ctrl-C, Ctrl-\, `kill` and a terminal that is closed, while something must be cleaned up before
/// the program may end.
enum Interruption {
    private static let pending = Atomic<Int32>(0)
    private static let held = Atomic<Bool>(false)
    private static let signals = [SIGINT, SIGTERM, SIGQUIT, SIGHUP]

    /// Whether a signal asked the program to end.
    static var isPending: Bool { pending.load(ordering: .relaxed) != 0 }

    /// From now on a signal only breaks off the system call that waits, and is remembered.
    ///
    /// - Returns: whether that was so before.
    @discardableResult
    static func hold() -> Bool {
        guard !held.exchange(true, ordering: .relaxed) else { return true }
        _ = isPending  // a lazy global must not be made inside a signal handler
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            Interruption.pending.store(number, ordering: .relaxed)
        }
        for number in signals where !isIgnored(number) { unsafe sigaction(number, &action, nil) }
        return false
    }

    /// Whether `nohup` started the program, so that it outlives its terminal.
    private static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        guard number == SIGHUP, unsafe sigaction(number, nil, &present) == 0 else { return false }
        return unsafe unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// From now on a signal ends the program; one that came meanwhile does so now.
    static func finish() {
        held.store(false, ordering: .relaxed)
        for number in signals where !isIgnored(number) { _ = signal(number, SIG_DFL) }
        let number = pending.load(ordering: .relaxed)
        if number != 0 { raise(number) }
    }

    /// Waits, or throws when a signal asks the program to end.
    ///
    /// - Parameter seconds: how long.
    static func pause(_ seconds: Double) throws(Interrupted) {
        let end = ProcessCalls.seconds() + seconds
        while true {
            try check()
            let left = end - ProcessCalls.seconds()
            guard left > 0 else { return }
            usleep(UInt32(min(left, 0.1) * 1_000_000))
        }
    }

    /// Throws when a signal asked the program to end.
    static func check() throws(Interrupted) {
        if isPending { throw Interrupted() }
    }
}
