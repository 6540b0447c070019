/// Renders the descriptions for a reader.
enum HelpText {
    /// What `seal help` prints.
    static var overview: String {
        let commands = Command.all.filter { !$0.isHidden }
        let statuses = ExitCode.allCases.map { "\($0.rawValue) \($0.word)" }
        let list = commands.map { "  " + padded($0.name, to: 12) + $0.summary }
        return """
            usage: seal COMMAND VOLUME …

            \(ProgramDescription.text)

            \(list.joined(separator: "\n"))

            'seal help COMMAND' says more. 'seal demo' shows the classes at work.
            Exit status: \(statuses.joined(separator: ", ")).

            """
    }

    /// What `seal help COMMAND` prints.
    static func text(of command: Command) -> String {
        let words = ["usage: seal \(command.name)"] + command.operands.map(\.usage)
        var text = words.joined(separator: " ")
        if !command.options.isEmpty { text += " [OPTION…]" }
        text += "\n\n\(sentence(command.summary))\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        if !command.options.isEmpty {
            text += "\nOptions:\n"
            for option in command.options {
                text += "  " + padded(option.usage, to: 26) + option.summary + "\n"
            }
        }
        if !command.examples.isEmpty {
            text += "\nExample:\n"
            for example in command.examples { text += "  \(example)\n" }
        }
        return text
    }

    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// Fills up with spaces; at least one follows the text.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
