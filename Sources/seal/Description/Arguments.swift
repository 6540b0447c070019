import DataProtection

/// What was typed after the command, sorted into operands and options.
package struct Arguments: Sendable {
    /// The operands, in order.
    package let operands: [String]
    /// The values of options that take one.
    private var values: [String: String] = [:]
    /// The values of options that can be given several times.
    private var lists: [String: [String]] = [:]
    /// The flags.
    private var flags: Set<String> = []
    /// The command they belong to.
    private var command = ""
    /// The options that the command has.
    private var known: Set<String> = []

    /// Arguments without options.
    init(operands: [String]) { self.operands = operands }

    /// Whether a flag was given.
    package func has(_ option: Option) -> Bool { flags.contains(option.name) }

    /// Whether the command has an option.
    func knows(_ option: Option) -> Bool { known.contains(option.name) }

    /// The value of an option; `nil` when it was not given.
    package func value(_ option: Option) -> String? { values[option.name] }

    /// The values of an option that can be given several times, in order.
    func values(_ option: Option) -> [String] { lists[option.name] ?? [] }

    /// Whether an option was given, of whichever kind it is.
    func isGiven(_ option: Option) -> Bool {
        has(option) || value(option) != nil || !values(option).isEmpty
    }

    /// The operand at an index; `nil` when it was left out.
    func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

    /// The volume's folder.
    var volumePath: String { operands[0] }

    /// The value of an option, read by `parse`.
    ///
    /// - Returns: `nil` when the option was not given.
    /// - Throws: a usage failure that lists the `choices` when `parse` does not know the value.
    func value<Value>(
        _ option: Option, choices: String, _ parse: (String) -> Value?
    ) throws -> Value? {
        guard let text = value(option) else { return nil }
        guard let parsed = parse(text) else {
            throw failure("'\(text)' is no value for \(option.name): \(choices)")
        }
        return parsed
    }

    /// A usage failure that points at the help of this command.
    func failure(_ message: String) -> Failure { .usage(message, command: command) }
}

extension Arguments {
    /// Whether the words ask for the command's help.
    static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// Sorts the words of a command line.
    ///
    /// Options may stand anywhere; `--` ends them; `-` alone is an operand.
    /// - Throws: a usage failure.
    package static func parse(_ words: [String], of command: Command) throws -> Arguments {
        var sorter = ArgumentSorter(command: command, words: words[...])
        try sorter.sort()
        var arguments = Arguments(operands: sorter.operands)
        arguments.values = sorter.values
        arguments.lists = sorter.lists
        arguments.flags = sorter.flags
        arguments.command = command.name
        arguments.known = Set(command.options.map(\.name))
        try arguments.requireOperands(of: command)
        return arguments
    }

    private func requireOperands(of command: Command) throws {
        let needed = command.operands.filter { !$0.isOptional }
        if operands.count < needed.count {
            throw failure("\(needed[operands.count].name) is missing")
        }
        if let index = operands.firstIndex(of: ""), let last = command.operands.indices.last {
            throw failure("\(command.operands[min(index, last)].name) is empty")
        }
        let canRepeat = command.operands.last?.repeats ?? false
        if operands.count > command.operands.count, !canRepeat {
            throw failure("one word too many: '\(operands[command.operands.count])'")
        }
    }
}

/// Goes over the words of a command line once.
private struct ArgumentSorter {
    let command: Command
    var words: ArraySlice<String>
    var operands: [String] = []
    var values: [String: String] = [:]
    var lists: [String: [String]] = [:]
    var flags: Set<String> = []

    mutating func sort() throws {
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                words = []
            } else if word.hasPrefix("--") {
                try takeLong(word)
            } else if word.hasPrefix("-"), word != "-" {
                for letter in word.dropFirst() { try takeLetter(letter, of: word) }
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func takeLong(_ word: String) throws {
        let parts = word.optionAndValue
        let name = parts[0]
        guard let option = command.options.first(where: { $0.name == name }) else {
            throw Failure.usage("unknown option '\(name)'", command: command.name)
        }
        guard option.value != nil else {
            guard parts.count == 1 else {
                throw Failure.usage("\(name) takes no value", command: command.name)
            }
            return try takeFlag(name)
        }
        guard let value = parts.count == 2 ? parts[1] : words.popFirst(), !value.isEmpty
        else {
            throw Failure.usage("\(name) needs a value", command: command.name)
        }
        guard !option.repeats else {
            lists[name, default: []].append(value)
            return
        }
        guard values.updateValue(value, forKey: name) == nil else {
            throw Failure.usage("\(name) is given twice", command: command.name)
        }
    }

    private mutating func takeLetter(_ letter: Character, of word: String) throws {
        guard let option = command.options.first(where: { $0.letter == letter }) else {
            throw Failure.usage("unknown option '\(word)'", command: command.name)
        }
        try takeFlag(option.name)
    }

    private mutating func takeFlag(_ name: String) throws {
        guard flags.insert(name).inserted else {
            throw Failure.usage("\(name) is given twice", command: command.name)
        }
    }
}

extension String {
    /// A long option, and the value that stands behind it after `=` if one does.
    var optionAndValue: [String] {
        // By bytes: a mark at the start of the value would melt into one character with the sign.
        let sign = UInt8(ascii: "=")
        return utf8.split(separator: sign, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }
}
