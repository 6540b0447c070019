/// A shell that completes words.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// What makes the shell complete this program's words.
    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    /// The words as the program gets them when the command is run. Bash hands out what was typed.
    func unquoted(_ words: [String]) throws -> [String] {
        let home = try ProcessStart.environment("HOME") ?? "~"
        return words.map { word in
            let word = word.hasPrefix("~/") ? home + word.dropFirst() : word
            return self == .bash ? ShellWord.unquoted(word) : word
        }
    }

    /// How an answer is given to the shell's script: what follows, then a word on each line.
    func text(of answer: Completion.Answer) -> String {
        switch answer {
        case .hostFiles: "files\n"
        case .hostFolders: "folders\n"
        case .words(let candidates):
            "words\n"
                + candidates.map { candidate in
                    let hasNoSummary = self == .bash || candidate.summary.isEmpty
                    return candidate.word + (hasNoSummary ? "" : "\t\(candidate.summary)") + "\n"
                }.joined()
        }
    }
}
