/// One command, described once: the parser, the help text, the manual page and what a shell
/// completes all read this.
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
    /// What it can be.
    let kind: WordKind
    /// Whether it can be left out.
    package let isOptional: Bool
    /// Whether it can be given several times; only the last operand can.
    package let repeats: Bool
    /// What it can be after the operands before it; `nil` when it is the same after all.
    private let kindAfter: (@Sendable ([String]) -> WordKind)?

    init(
        _ name: String, _ kind: WordKind, isOptional: Bool = false, repeats: Bool = false,
        kindAfter: (@Sendable ([String]) -> WordKind)? = nil
    ) {
        self.kindAfter = kindAfter
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.repeats = repeats
    }

    /// What it can be after the operands before it.
    func kind(after operands: [String]) -> WordKind { kindAfter?(operands) ?? kind }

    /// How the usage line shows it.
    var usage: String {
        let name = repeats ? "\(name)…" : name
        return isOptional ? "[\(name)]" : name
    }

    /// The volume's folder: the first operand of nearly every command.
    static let volume = Operand("VOLUME", .hostFolder)
    /// A file or folder in the volume.
    static let path = Operand("PATH", .item)
}

/// What a word of the command line stands for, as far as a shell can complete it.
enum WordKind: Sendable {
    /// A file or folder of the host.
    case hostFile
    /// A folder of the host.
    case hostFolder
    /// A file or folder in the volume.
    case item
    /// One of these words.
    case choice([String])
    /// The name of a command.
    case command
}

/// How a command is to work.
package struct Option: Sendable {
    /// The long name, with its dashes.
    package let name: String
    /// A letter that says the same.
    package let letter: Character?
    /// What follows it, in capitals; `nil` for a flag.
    package let value: String?
    /// What that can be; `nil` for a flag.
    let kind: WordKind?
    /// Whether it can be given several times.
    let repeats: Bool
    /// One line.
    package let summary: String

    /// A flag.
    init(_ name: String, letter: Character? = nil, _ summary: String) {
        self.name = name
        self.letter = letter
        value = nil
        kind = nil
        repeats = false
        self.summary = summary
    }

    /// An option with a value.
    init(
        _ name: String, value: String, _ kind: WordKind, repeats: Bool = false, _ summary: String
    ) {
        self.name = name
        letter = nil
        self.value = value
        self.kind = kind
        self.repeats = repeats
        self.summary = summary
    }

    /// How the help text shows it.
    var usage: String {
        let letter = letter.map { "-\($0), " } ?? ""
        return letter + name + (value.map { " \($0)" } ?? "")
    }
}
