import Glibc
import Synchronization

/// Ctrl-C, Ctrl-\ and `kill`, while something must be cleaned up before the program may end.
enum Interruption {
    private static let pending = Atomic<Int32>(0)
    private static let signals = [SIGINT, SIGTERM, SIGQUIT]

    /// Whether a signal asked the program to end.
    static var isPending: Bool { pending.load(ordering: .relaxed) != 0 }

    /// From now on a signal only breaks off the system call that waits, and is remembered.
    static func hold() {
        _ = isPending  // a lazy global must not be made inside a signal handler
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            Interruption.pending.store(number, ordering: .relaxed)
        }
        for number in signals { unsafe sigaction(number, &action, nil) }
    }

    /// From now on a signal ends the program; one that came meanwhile does so now.
    static func finish() {
        for number in signals { _ = signal(number, SIG_DFL) }
        let number = pending.load(ordering: .relaxed)
        if number != 0 { raise(number) }
    }

    /// Throws when a signal asked the program to end.
    static func check() throws(Interrupted) {
        if isPending { throw Interrupted() }
    }
}
