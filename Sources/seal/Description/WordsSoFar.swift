import DataProtection

/// A command line that is being typed, up to the word that a shell is to complete.
struct WordsSoFar {
    /// The command; `nil` while it is being typed itself, or is none.
    private(set) var command: Command?
    /// The operands before the word.
    private(set) var operands: [String] = []
    /// The values of the options before the word.
    private(set) var values: [String: String] = [:]
    /// What the word can be.
    private(set) var place = Place.nothing
    /// What has been typed of it; of an option with its value in one word, of the value.
    private(set) var word: String
    /// What stands before that in the same word: `--class=`.
    private(set) var prefix = ""
    /// Options that were given already.
    private var given: Set<String> = []

    /// What can stand somewhere.
    enum Place {
        /// Nothing that is known.
        case nothing
        /// The name of a command, or an option of the program itself.
        case firstWord
        /// One of these options.
        case option([Option])
        /// An operand or a value.
        case value(WordKind)
    }

    /// Reads the words after the program's name; the last is the one to complete.
    init(_ words: [String]) {
        word = words.last ?? ""
        guard words.count > 1 else {
            place = .firstWord
            return
        }
        let name = ["--help", "-h"].contains(words[0]) ? Command.help.name : words[0]
        guard let command = Command.named(name) else { return }
        self.command = command
        read(words.dropFirst().dropLast(), of: command)
    }

    private mutating func read(_ words: ArraySlice<String>, of command: Command) {
        var words = words
        var hasEnded = false
        while let next = words.popFirst() {
            if hasEnded || !next.hasPrefix("-") || next == "-" {
                operands.append(next)
            } else if next == "--" {
                hasEnded = true
            } else {
                guard let (option, value) = Self.option(next, of: command) else { continue }
                if !option.repeats { given.insert(option.name) }
                guard let kind = option.kind else { continue }
                guard let value = value ?? words.popFirst() else {
                    place = .value(kind)
                    return
                }
                values[option.name] = value
            }
        }
        place = hasEnded || !word.hasPrefix("-") ? operandPlace(of: command) : optionPlace(command)
    }

    private func operandPlace(of command: Command) -> Place {
        if operands.count < command.operands.count {
            return .value(command.operands[operands.count].kind(after: operands))
        }
        guard let last = command.operands.last, last.repeats else { return .nothing }
        return .value(last.kind(after: operands))
    }

    private mutating func optionPlace(_ command: Command) -> Place {
        if word.contains("="), let (option, value) = Self.option(word, of: command),
            let kind = option.kind, let value
        {
            prefix = "\(option.name)="
            word = value
            return .value(kind)
        }
        return .option(command.options.filter { !given.contains($0.name) })
    }

    /// The option that a word names, with a value that stands in the same word.
    private static func option(
        _ word: String, of command: Command
    ) -> (Option, value: String?)? {
        let parts = word.optionAndValue
        let found = command.options.first { option in
            option.name == parts[0] || option.letter.map { word == "-\($0)" } ?? false
        }
        return found.map { ($0, parts.count == 2 ? parts[1] : nil) }
    }
}
