/// One command, described once: the parser, the help text and what may be generated later
/// (completions, a manual page) all read this.
package struct Command: Sendable {
    /// The word after `seal`.
    package let name: String
    /// One line, a verb first.
    package let summary: String
    /// What stands after the name, in order.
    package let operands: [Operand]
    /// What may stand anywhere after the name.
    package let options: [Option]
    /// Paragraphs below the usage; lines of at most 80 columns.
    package let details: String
    /// Command lines to copy.
    package let examples: [String]
    /// Whether it is left out of the list of commands.
    package let isHidden: Bool
    /// Does the work.
    let run: @Sendable (Arguments) throws -> Void

    init(
        _ name: String, _ summary: String, operands: [Operand], options: [Option] = [],
        details: String = "", examples: [String] = [], isHidden: Bool = false,
        run: @escaping @Sendable (Arguments) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.details = details
        self.examples = examples
        self.isHidden = isHidden
        self.run = run
    }

    /// The command of a name.
    static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}

/// What a command works on.
package struct Operand: Sendable {
    /// Its name in the usage line, in capitals.
    package let name: String
    /// Whether it can be left out.
    package let isOptional: Bool
    /// Whether it can be given several times; only the last operand can.
    package let repeats: Bool

    init(_ name: String, isOptional: Bool = false, repeats: Bool = false) {
        self.name = name
        self.isOptional = isOptional
        self.repeats = repeats
    }

    /// How the usage line shows it.
    var usage: String {
        let name = repeats ? "\(name)…" : name
        return isOptional ? "[\(name)]" : name
    }

    /// The volume's folder: the first operand of nearly every command.
    static let volume = Operand("VOLUME")
}

/// How a command is to work.
package struct Option: Sendable {
    /// The long name, with its dashes.
    package let name: String
    /// A letter that says the same.
    package let letter: Character?
    /// What follows it, in capitals; `nil` for a flag.
    package let value: String?
    /// One line.
    package let summary: String

    init(_ name: String, letter: Character? = nil, value: String? = nil, _ summary: String) {
        self.name = name
        self.letter = letter
        self.value = value
        self.summary = summary
    }

    /// How the help text shows it.
    var usage: String {
        let letter = letter.map { "-\($0), " } ?? ""
        return letter + name + (value.map { " \($0)" } ?? "")
    }
}
