import DataProtection

/// The options of `outbox` alone.
enum OutboxOption {
    static let name = Option(
        "--name", value: "LABEL", .choice([]), "save: what the item is called, sealed with it")
    /// Class none is not among them: it would leave items readable on a locked device.
    static let protectionClass = Option(
        Option.protectionClass.name, value: "NAME",
        .choice(ProtectionClass.allCases.filter { $0 != .none }.map(\.name)),
        "save: complete, completeUnlessOpen, …; or a letter, A to C")
    static let body = Option("--body", "show: write the body to standard output, and nothing else")
    static let force = Option("--force", "export: overwrite FILE")
    static let yes = Option("--yes", "drop: do not ask")
    static let program = Option(
        "--exec", value: "PROGRAM", .hostFile, "drain: what sends an item; WORD… are its arguments")
    static let deadline = Option(
        "--deadline", value: "SECONDS", .choice([]), "drain: how long it may take (default: 300)")
    static let now = Option("--now", "drain: do not wait for the time of the next try")
    static let watch = Option("--watch", "drain: go on until a signal comes")
    static let wait = Option(
        "--wait", value: "SECONDS", .choice([]), "how long to wait while the volume is in use")
}

/// What `outbox` can do.
enum OutboxAction: String, CaseIterable {
    case save, list, show, retry, drop, export, pause, resume, drain

    /// The options that it has beside those of every command.
    var options: [Option] {
        switch self {
        case .save: [OutboxOption.name, OutboxOption.protectionClass]
        case .list: [.json]
        case .show: [OutboxOption.body, .json]
        case .retry, .pause, .resume: []
        case .drop: [OutboxOption.yes]
        case .export: [OutboxOption.force]
        case .drain:
            [
                OutboxOption.program, OutboxOption.deadline, OutboxOption.now, OutboxOption.watch,
                .json,
            ]
        }
    }

    /// How many words follow it.
    var wordCounts: ClosedRange<Int> {
        switch self {
        case .save: 0...1
        case .list, .pause, .resume: 0...0
        case .show, .retry, .drop: 1...1
        case .export: 2...2
        case .drain: 0...Int.max
        }
    }
}

extension Arguments {
    /// What `outbox` is to do, when what follows fits.
    func outboxAction() throws -> OutboxAction {
        let word = operands[2]
        guard let action = OutboxAction(rawValue: word) else {
            let all = OutboxAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure("'\(word)' is none of \(all)")
        }
        let others = OutboxAction.allCases.flatMap(\.options).map(\.name)
        let own = action.options.map(\.name)
        for option in Command.outbox.options where others.contains(option.name) {
            guard !own.contains(option.name), has(option) || value(option) != nil else { continue }
            throw failure("\(option.name) is not for \(word)")
        }
        let count = operands.count - 3
        if count < action.wordCounts.lowerBound {
            throw failure(count == 0 ? "NUMBER is missing" : "FILE is missing")
        }
        if count > action.wordCounts.upperBound {
            throw failure("one word too many: '\(operands[3 + action.wordCounts.upperBound])'")
        }
        return action
    }

    /// The outbox's folder in the volume.
    var outboxFolder: String { operands[1] }

    /// The item that is meant.
    func outboxNumber() throws -> OutboxItem.ID {
        guard let number = Int64(operands[3]), number > 0 else {
            throw failure("'\(operands[3])' is no item's number")
        }
        return number
    }

    /// A number of seconds.
    func seconds(_ option: Option, atLeast least: Int) throws -> Int? {
        try value(option, choices: "a whole number of seconds, from \(least)") { text in
            Int(text).flatMap { (least...1_000_000).contains($0) ? $0 : nil }
        }
    }

    /// A command line of `outbox` that works on the same one.
    func outboxCommand(_ words: String...) -> String {
        ShellWord.seal("outbox", [volumePath, outboxFolder] + words)
    }
}
