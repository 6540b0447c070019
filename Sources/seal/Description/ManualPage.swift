import DataProtection

/// The manual page, in the language of `man(7)`: made from what describes the commands, so that it
/// says what the program does.
enum ManualPage {
    /// The whole page.
    static var text: String {
        let name = ProgramDescription.name
        let dots = Roff.text("…")
        let sections = [
            (
                "NAME",
                "\(name) \\- \(Roff.text(ProgramDescription.summary))\n"
            ),
            (
                "SYNOPSIS",
                ".B \(name)\n.I COMMAND VOLUME\n\(dots)\n.RI [ OPTION \(dots) ]\n"
            ),
            ("DESCRIPTION", Roff.paragraphs(ProgramDescription.text)),
            ("COMMANDS", Command.all.filter { !$0.isHidden }.map(section).joined()),
            ("KEYS", Option.access.map(item).joined()),
            ("PROTECTION CLASSES", Roff.list(ProgramDescription.classes)),
            (
                "EXIT STATUS",
                Roff.list(ExitCode.allCases.map { ("\($0.rawValue)", $0.sentence) })
            ),
            ("ENVIRONMENT", Roff.list(ProgramDescription.environment)),
            ("FILES", Roff.list(ProgramDescription.files)),
            ("EXAMPLES", Roff.lines(Command.all.flatMap(\.examples))),
        ]
        return #".TH "\#(name.uppercased())" "1" "" "#
            + "\"\(name) \(Seal.version)\" \"User Commands\"\n"
            + sections.map { ".SH \($0)\n\($1)" }.joined()
    }

    private static func section(of command: Command) -> String {
        let operands = command.operands.map(\.usage).joined(separator: " ")
        let end = command.options.isEmpty ? "" : " [OPTION…]"
        var text = ".SS \(Roff.text("\(command.name) \(operands)\(end)"))\n"
        text += "\(Roff.text(HelpText.sentence(command.summary)))\n"
        if !command.details.isEmpty { text += ".PP\n" + Roff.paragraphs(command.details) }
        let shared = Set(Option.access.map(\.name))
        text += command.options.filter { !shared.contains($0.name) }.map(item).joined()
        let keys = command.options.map(\.name).filter(shared.contains).map {
            "\\fB\(Roff.text($0))\\fR"
        }
        if !keys.isEmpty { text += ".PP\nFor its keys: \(keys.joined(separator: ", ")).\n" }
        return text
    }

    private static func item(of option: Option) -> String {
        let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
        let value = option.value.map { " \\fI\(Roff.text($0))\\fR" } ?? ""
        return ".TP\n\(letter)\\fB\(Roff.text(option.name))\\fR\(value)\n"
            + "\(Roff.text(option.summary))\n"
    }
}

/// Text in the language of `groff(7)`.
enum Roff {
    /// One line of text, so that nothing in it is taken for a request.
    static func text(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
                escaped += "\\[u\(zeros)\(digits)]"
            }
        }
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    /// Paragraphs with empty lines between them. One with columns keeps its lines.
    static func paragraphs(_ text: String) -> String {
        var paragraphs: [[String]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1].append(String(line))
            }
        }
        return paragraphs.map { lines in
            let hasColumns = lines.contains { $0.contains("  ") }
            return hasColumns ? self.lines(lines) : lines.map { "\(Self.text($0))\n" }.joined()
        }.joined(separator: ".PP\n")
    }

    /// Lines that stay as they are.
    static func lines(_ lines: [String]) -> String {
        ".nf\n" + lines.map { "\(text($0))\n" }.joined() + ".fi\n"
    }

    /// Terms and what they mean.
    static func list(_ items: [(term: String, meaning: String)]) -> String {
        items.map { ".TP\n.B \(text($0.term))\n\(text($0.meaning))\n" }.joined()
    }
}
