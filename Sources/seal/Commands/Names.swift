import DataProtection

extension Command {
    static let makeFolder = Command(
        "mkdir", "make a folder; works without the passcode",
        operands: [.volume, .path],
        options: [.protectionClass, NamesOption.parents] + Option.access,
        details: """
            With --class its new children get that class; without, that of the folder it is in.
            """,
        examples: ["seal mkdir vault letters --class complete"],
        run: runMakeFolder)

    static let move = Command(
        "mv", "rename or move a file or folder; works without the passcode",
        operands: [.volume, Operand("FROM", .item), Operand("TO", .item)],
        options: Option.access,
        details: """
            The class stays. A file at TO is replaced; with the rules 'safer' the stronger of the
            two classes then holds, which may need the passcode. A TO that is a folder takes it in.
            """,
        examples: ["seal mv vault draft.txt letters/final.txt"],
        run: runMove)

    static let remove = Command(
        "rm", "remove files and folders; works without the passcode",
        operands: [.volume, Operand("PATH", .item, repeats: true)],
        options: [NamesOption.recursive] + Option.access,
        examples: ["seal rm vault draft.txt", "seal rm -r vault letters"],
        run: runRemove)

    private static func runMakeFolder(_ arguments: Arguments) throws {
        let protectionClass = try arguments.protectionClass(.protectionClass)
        let path = arguments.operands[1]
        try VolumeAccess.with(arguments) { volume in
            if arguments.has(NamesOption.parents) {
                try makeParents(of: path, class: protectionClass, in: volume)
                if (try? volume.attributes(of: path))?.kind == .folder { return }
            }
            try volume.requireParent(volume.folderPart(of: path), arguments)
            try volume.makeFolder(path, class: protectionClass)
        }
    }

    /// Makes what is missing above a path, or nothing when that cannot be.
    private static func makeParents(
        of path: String, class protectionClass: ProtectionClass?, in volume: ProtectedVolume
    ) throws {
        let names = path.split(separator: "/").map(String.init)
        for name in names {
            if let fault = EntryName.fault(of: Array(name.utf8)) {
                throw ProtectionError.invalidName(fault).at(path)
            }
        }
        var missing: [String] = []
        var parent = ""
        for name in names.dropLast() {
            parent = joined(parent, name)
            if missing.isEmpty, let kind = try volume.kindIfPresent(of: parent) {
                guard kind == .folder else { throw ProtectionError.notFolder.at(parent) }
            } else {
                missing.append(parent)
            }
        }
        for folder in missing { try volume.makeFolder(folder, class: protectionClass) }
    }

    private static func runMove(_ arguments: Arguments) throws {
        let source = arguments.operands[1]
        try VolumeAccess.with(arguments) { volume in
            try volume.requireFolder(ifNamed: source)
            // What is missing is said of the source first.
            _ = try volume.attributes(of: source)
            let place = try volume.place(for: source, at: arguments.operands[2], arguments)
            try volume.rename(source, to: place)
        }
    }

    private static func runRemove(_ arguments: Arguments) throws {
        let isRecursive = arguments.has(NamesOption.recursive)
        try VolumeAccess.with(arguments) { volume in
            var failures: [ExitCode] = []
            for path in arguments.operands.dropFirst() {
                do {
                    try Interruption.check()
                    guard path.contains(where: { $0 != "/" }) else {
                        let command = ShellWord.seal("erase", [arguments.volumePath])
                        throw Failure(
                            "the top folder stays", remedy: "to destroy the volume: \(command)")
                    }
                    try volume.requireFolder(ifNamed: path)
                    try remove(path, isRecursive: isRecursive, in: volume)
                } catch {
                    if error is Interrupted { throw error }
                    let failure = Failure(any: error)
                    Terminal.report(failure)
                    failures.append(failure.exitCode)
                }
            }
            guard let first = failures.first else { return }
            // Their own number, when they share one.
            throw Reported(exitCode: Set(failures).count == 1 ? first : .failed)
        }
    }

    private static func remove(
        _ path: String, isRecursive: Bool, in volume: ProtectedVolume
    ) throws {
        // What cannot be looked at can still be removed.
        guard (try? volume.attributes(of: path))?.kind == .folder else {
            return try volume.removeFile(path)
        }
        guard isRecursive else {
            throw Failure("\(path): it is a folder", remedy: "give -r to remove it")
        }
        for entry in try volume.list(path) {
            try Interruption.check()
            try remove(joined(path, entry.name), isRecursive: true, in: volume)
        }
        try volume.removeFolder(path)
    }
}

/// The options of `mkdir` and `rm`.
enum NamesOption {
    static let parents = Option("--parents", letter: "p", "make missing folders on the way")
    static let recursive = Option("--recursive", letter: "r", "also folders, with what is in them")
}
