import DataProtection

/// What the last word of a command line can become. The shells' scripts ask for it at each Tab, so
/// that they never know less than the program.
enum Completion {
    /// An answer to a shell.
    enum Answer {
        /// A file or folder of the host, which the shell itself completes.
        case hostFiles
        /// A folder of the host.
        case hostFolders
        /// These words.
        case words([Candidate])
    }

    /// A word that the last one can become.
    struct Candidate {
        /// The whole word. One that ends with a slash goes on.
        let word: String
        /// What it is; may be empty.
        let summary: String
    }

    /// Completes a command line.
    static func answer(to words: WordsSoFar) -> Answer {
        let candidates: [Candidate]
        switch words.place {
        case .nothing: candidates = []
        case .firstWord: candidates = firstWords
        case .option(let options):
            candidates = options.map { Candidate(word: $0.name, summary: $0.summary) }
        case .value(.hostFile): return .hostFiles
        case .value(.hostFolder): return .hostFolders
        case .value(.choice(let choices)):
            candidates = choices.map { Candidate(word: $0, summary: "") }
        case .value(.command): candidates = commands
        case .value(.item): candidates = (try? items(words)) ?? []
        }
        let fitting = candidates.filter { $0.word.hasPrefix(words.word) }
        return .words(
            fitting.map { Candidate(word: words.prefix + $0.word, summary: $0.summary) })
    }

    private static var commands: [Candidate] {
        Command.all.filter { !$0.isHidden }
            .map { Candidate(word: $0.name, summary: $0.summary) }
    }

    private static var firstWords: [Candidate] {
        commands + ["--help", "--version"].map { Candidate(word: $0, summary: "") }
    }

    /// What is in the folder of the volume that the word names. Names are open to whoever has the
    /// folder and the device key; nothing is asked, and a process that has the volume keeps it.
    private static func items(_ words: WordsSoFar) throws -> [Candidate] {
        guard let volumePath = words.operands.first else { return [] }
        let key = try DeviceKey.load(
            from: try DeviceKeyPath.path(words.values[Option.deviceKey.name]))
        let folder = HostPath.folderPart(of: words.word)
        let entries = try ProtectedVolume.names(
            in: folder, ofVolumeAt: volumePath, deviceKey: key)
        return entries.compactMap { entry in
            // A list with a word on each line cannot have others; nor can an argument.
            guard let name = String(validating: entry.nameBytes, as: UTF8.self),
                !name.unicodeScalars.contains(where: Terminal.isControl)
            else { return nil }
            let end = entry.kind == .folder ? "/" : ""
            return Candidate(word: folder + name + end, summary: entry.kind.rawValue)
        }
    }
}
