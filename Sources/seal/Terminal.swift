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
    static func say(_ message: String) { writeError("seal: \(message)\n") }

    /// Says something worth knowing that is no failure.
    static func note(_ message: String) { say("note: \(message)") }

    /// Says what to do.
    static func hint(_ remedy: String) { writeError("hint: \(remedy)\n") }

    /// Writes to standard error. There is nowhere to report that this failed.
    static func writeError(_ text: String) {
        try? HostFile.standardError.writeAll(Array(text.utf8).span)
    }

    /// Whether standard error is shown to a person.
    static var showsErrors: Bool { TerminalSystemCalls.isTerminal(STDERR_FILENO) }

    /// Whether colours may be used on standard output.
    static var showsColours: Bool {
        TerminalSystemCalls.isTerminal(STDOUT_FILENO)
            && ProcessCalls.environment("NO_COLOR") == nil
    }

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
        Interruption.hold()
        let settings = isSecret ? TerminalSystemCalls.hideTyping(terminal) : nil
        let line = Result {
            try terminal.writeAll(Array("\(question): ".utf8).span)
            return try Line.read(from: terminal)
        }
        if let settings {
            TerminalSystemCalls.restore(settings, terminal)
            try? terminal.writeAll([UInt8(ascii: "\n")].span)
        }
        Interruption.finish()
        return try line.get()
    }

    /// Text that cannot move the cursor or change colours: control characters become '?'.
    static func harmless(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            safe.append(isControl ? "?" : scalar)
        }
        return String(safe)
    }
}

/// Writes results to standard output.
enum Output {
    /// Writes a line.
    static func line(_ text: String) throws { try self.text(text + "\n") }

    /// Writes text.
    static func text(_ text: String) throws { try bytes(Array(text.utf8).span) }

    /// Writes bytes.
    ///
    /// - Throws: `OutputClosed` when nobody reads any more.
    static func bytes(_ bytes: Span<UInt8>) throws {
        do throws(HostFailure) {
            try HostFile.standardOutput.writeAll(bytes)
        } catch  where error.code == EPIPE {
            throw OutputClosed()
        }
    }
}

/// Reads single lines.
enum Line {
    /// The longest line that is accepted, in bytes.
    static let byteCountMaximum = 4096

    /// Reads one line, a byte at a time, so that what follows it stays for the next reader.
    ///
    /// - Returns: the line without its newline; the caller wipes it.
    static func read(from file: HostFile) throws -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(byteCountMaximum)  // a secret must not be left behind by growing
        var byte: [UInt8] = [0]
        while true {
            var span = byte.mutableSpan
            do throws(HostFailure) {
                guard try file.fill(&span) == 1 else { return line }
            } catch {
                ProcessCalls.wipe(&line)
                if error.code == EINTR { throw Interrupted() }
                throw error
            }
            if byte[0] == UInt8(ascii: "\n") { return line }
            guard line.count < byteCountMaximum else {
                ProcessCalls.wipe(&line)
                throw Failure("\(file.path): the first line is too long")
            }
            line.append(byte[0])
        }
    }
}
