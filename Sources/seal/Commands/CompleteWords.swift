extension Command {
    /// What the shells' scripts ask; not for people.
    static let completeWords = Command(
        "complete-words", "say what the last word of a command line can become",
        operands: [
            Operand("SHELL", .choice(Shell.allCases.map(\.rawValue))),
            Operand("WORD", .hostFile, isOptional: true, repeats: true),
        ],
        details: """
            Each word has a colon before it, so that none is empty or looks like an option. Prints
            'files' or 'folders' where the shell completes names of the host, or 'words' and then
            a word on each line, with what it means behind a tab.
            """,
        isHidden: true,
        run: { arguments in
            guard let shell = Shell(rawValue: arguments.operands[0]) else {
                throw arguments.failure("'\(arguments.operands[0])' is none of bash, zsh, fish")
            }
            let words = arguments.operands.dropFirst().map { String($0.dropFirst()) }
            let answer = Completion.answer(to: WordsSoFar(try shell.unquoted(words)))
            try Output.text(shell.text(of: answer))
        })
}
