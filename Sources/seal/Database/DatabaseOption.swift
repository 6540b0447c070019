import DataProtection

/// The options of `db` alone.
enum DatabaseOption {
    static let force = Option("--force", "import, export: replace what is there")
    static let write = Option("--write", "query: statements may change the database")
    static let parameter = Option(
        "--param", value: "NAME=VALUE", .choice([]), repeats: true,
        "query: the text of a parameter; may be given again")
    static let recover = Option(
        "--recover", value: "NEW", .item, "check: carry what can be read into a new database")
}

/// What `db` can do.
enum DatabaseAction: String, CaseIterable {
    case `import`, export, query, check

    /// The options that it has beside those of every command.
    var options: [Option] {
        switch self {
        case .import: [.protectionClass, DatabaseOption.force]
        case .export: [DatabaseOption.force]
        case .query: [DatabaseOption.write, DatabaseOption.parameter, .json]
        case .check: [DatabaseOption.recover, .json]
        }
    }

    /// The words that follow it.
    var words: [(name: String, kind: WordKind)] {
        switch self {
        case .import: [("FILE", .hostFile), ("PATH", .item)]
        case .export: [("PATH", .item), ("FILE", .hostFile)]
        case .query: [("PATH", .item), ("SQL", .choice([]))]
        case .check: [("PATH", .item)]
        }
    }

    /// What the next word can be.
    static func kind(after operands: [String]) -> WordKind {
        guard operands.count > 1, let action = DatabaseAction(rawValue: operands[1]) else {
            return .item
        }
        let index = operands.count - 2
        return index < action.words.count ? action.words[index].kind : .choice([])
    }
}

extension Arguments {
    /// What `db` is to do, when what follows fits.
    func databaseAction() throws -> DatabaseAction {
        let word = operands[1]
        guard let action = DatabaseAction(rawValue: word) else {
            let all = DatabaseAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure("'\(word)' is none of \(all)")
        }
        let own = action.options.map(\.name)
        for option in DatabaseAction.allCases.flatMap(\.options) {
            guard !own.contains(option.name), isGiven(option) else { continue }
            throw failure("\(option.name) is not for \(word)")
        }
        let count = operands.count - 2
        if count < action.words.count { throw failure("\(action.words[count].name) is missing") }
        if count > action.words.count {
            throw failure("one word too many: '\(operands[2 + action.words.count])'")
        }
        return action
    }

    /// A command line of `db`.
    func databaseCommand(_ words: String..., options: [String] = []) -> String {
        ShellWord.seal("db", options: options, [volumePath] + words)
    }
}
