internal import AgentControl
internal import Cryptography

/// Which program asks for the passcode.
package enum PasscodeProgram: Sendable, Hashable {
    /// GnuPG's dialog, which each desktop has in its own shape.
    case pinentry
    /// systemd's question, answered by an agent at a terminal or at the start of the machine.
    case systemd
    /// Any program that prints the passcode; the question is its only argument.
    case program(String)

    /// The program that is meant by a word.
    ///
    /// - Parameters:
    ///   - word: `auto`, `none`, `pinentry`, `systemd`, or a program.
    ///   - hasDisplay: whether there is a desktop to show a dialog on.
    ///   - isRoot: whether this is root, who alone may ask through systemd.
    ///   - isThere: whether a program is in `PATH`.
    /// - Returns: `nil` when nobody asks.
    package init?(
        _ word: String, hasDisplay: Bool, isRoot: Bool, isThere: (String) -> Bool
    ) {
        switch word {
        case "none": return nil
        case "pinentry": self = .pinentry
        case "systemd": self = .systemd
        case "auto":
            if hasDisplay, isThere("pinentry") {
                self = .pinentry
            } else if isRoot, isThere("systemd-ask-password") {
                self = .systemd
            } else {
                return nil
            }
        default: self = .program(word)
        }
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - reason: why it is asked again; empty the first time.
    func start(_ question: String, reason: String) throws(ChildFailure) -> ChildProgram {
        switch self {
        case .systemd:
            let text = reason.isEmpty ? question : "\(reason): \(question)"
            return try ChildProgram(
                "systemd-ask-password", ["--no-tty", "--timeout=0", "--id=seal", "\(text):"])
        case .program(let path): return try ChildProgram(path, [question])
        case .pinentry:
            let child = try ChildProgram("pinentry", [])
            var lines = [
                "SETTITLE seal", "SETDESC \(Self.escaped(question))", "SETPROMPT Passcode:",
            ]
            if !reason.isEmpty { lines.append("SETERROR \(Self.escaped(reason))") }
            child.write((lines + ["GETPIN", "BYE"]).map { $0 + "\n" }.joined())
            return child
        }
    }

    /// What it was told.
    ///
    /// - Returns: the passcode, to be wiped by the caller; `nil` when nobody answered.
    func answer(_ child: ChildProgram) -> [UInt8]? {
        guard self == .pinentry else {
            guard let line = child.readLine(), !line.isEmpty else { return nil }
            return line
        }
        while var line = child.readLine() {
            defer { Wipe.zero(&line) }
            if line.starts(with: Array("D ".utf8)) { return Self.unescaped(line.dropFirst(2)) }
            if line.starts(with: Array("ERR ".utf8)) { return nil }
        }
        return nil
    }

    /// Text in the form of the Assuan protocol, which pinentry speaks.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "\n": "%0A"
            case "\r": "%0D"
            default: String(scalar)
            }
        }.joined()
    }

    /// Bytes from that form.
    package static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                rest = rest.dropFirst(2)
                bytes.append(UInt8(digits[0] * 16 + digits[1]))
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
