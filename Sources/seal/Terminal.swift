import Glibc

// The rules of the terminal:
//
// - What the program asks, it asks at the terminal (/dev/tty), and reads there: never from standard
//   input.
// - Results go to standard output, and nothing else does.
// - Everything else goes to standard error: 'seal: message', lower case, without a final stop;
//   then, when there is a remedy, 'hint: remedy'.
// - Secrets are never shown, never arguments, never in the environment. A new recovery key is a
//   result.
// - Colours and progress only appear on a terminal; colours not with NO_COLOR.

/// Talks to the person at the terminal.
enum Terminal {
    /// Says something on standard error.
    static func say(_ message: String) { writeLine("seal: \(message)") }

    /// Says something worth knowing that is no failure.
    static func note(_ message: String) { say("note: \(message)") }

    /// Says what to do.
    static func hint(_ remedy: String) { writeLine("hint: \(remedy)") }

    /// Says why something failed, and what to do.
    static func report(_ failure: Failure) {
        say(failure.message)
        if !failure.remedy.isEmpty { hint(failure.remedy) }
    }

    private static func writeLine(_ text: String) {
        // Names are in it, and a name must not speak to the terminal.
        writeError((showsErrors ? harmless(text) : text) + "\n")
    }

    /// Writes to standard error. There is nowhere to report that this failed.
    static func writeError(_ text: String) {
        try? HostFile.standardError.writeAll(Array(text.utf8).span)
    }

    /// Whether standard error is shown to a person.
    static var showsErrors: Bool { TerminalSystemCalls.isTerminal(STDERR_FILENO) }

    /// Whether colours may be used on standard output.
    static var showsColours: Bool {
        TerminalSystemCalls.isTerminal(STDOUT_FILENO)
            && !ProcessCalls.hasEnvironment("NO_COLOR")
    }

    /// Whether standard input is what a person types.
    static var readsInput: Bool { TerminalSystemCalls.isTerminal(STDIN_FILENO) }

    /// Whether standard output is shown to a person.
    static var showsOutput: Bool { TerminalSystemCalls.isTerminal(STDOUT_FILENO) }

    /// Whether somebody can be asked: messages are seen, and this process has the terminal.
    static var canAsk: Bool {
        guard showsErrors, let terminal = try? HostFile(opening: "/dev/tty", flags: O_RDWR) else {
            return false
        }
        return TerminalSystemCalls.isForeground(terminal)
    }

    /// Asks for a line.
    ///
    /// - Parameters:
    ///   - question: what stands before the cursor.
    ///   - isSecret: whether what is typed is hidden.
    /// - Returns: the bytes typed, without the newline; the caller wipes them.
    /// - Throws: `Interrupted` after Ctrl-C, with the terminal as it was.
    static func ask(_ question: String, isSecret: Bool) throws -> [UInt8] {
        let terminal = try HostFile(opening: "/dev/tty", flags: O_RDWR)
        let wasHeld = Interruption.hold()
        let settings = isSecret ? TerminalSystemCalls.hideTyping(terminal) : nil
        let line = Result {
            try terminal.writeAll(Array("\(harmless(question)): ".utf8).span)
            return try Line.read(from: terminal)
        }
        if let settings {
            TerminalSystemCalls.restore(settings, terminal)
            try? terminal.writeAll([UInt8(ascii: "\n")].span)
        }
        // Who held the signals has something to clean up, and is told by the error.
        if !wasHeld { Interruption.finish() }
        try Interruption.check()  // a terminal that was closed gives the end of a file, and SIGHUP
        return try line.get()
    }

    /// Text that cannot move the cursor, change colours or turn the direction of writing: such
    /// characters become '?'.
    static func harmless(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { safe.append(isControl(scalar) ? "?" : scalar) }
        return String(safe)
    }

    /// Whether a terminal obeys a character instead of showing it.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: scalar.properties.generalCategory == .control
        }
    }
}
