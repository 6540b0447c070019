import Glibc

/// System calls on terminals.
enum TerminalSystemCalls {
    /// Whether a descriptor is a terminal. The corresponding C function is `isatty`.
    static func isTerminal(_ number: Int32) -> Bool { isatty(number) == 1 }

    /// Whether this process may read from a terminal without being stopped. See `tcgetpgrp(3)`.
    static func isForeground(_ terminal: HostFile) -> Bool {
        tcgetpgrp(terminal.number) == getpgrp()
    }

    /// Stops showing what is typed.
    ///
    /// - Returns: the settings to go back to; `nil` when there is nothing to change.
    static func hideTyping(_ terminal: HostFile) -> termios? {
        var settings = termios()
        guard unsafe tcgetattr(terminal.number, &settings) == 0 else { return nil }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(terminal.number, TCSAFLUSH, &settings) == 0 else { return nil }
        return before
    }

    /// Goes back to earlier settings.
    static func restore(_ settings: termios, _ terminal: HostFile) {
        var settings = settings
        unsafe tcsetattr(terminal.number, TCSAFLUSH, &settings)
    }
}
