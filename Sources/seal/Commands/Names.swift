import DataProtection

extension Command {
    static let makeFolder = Command(
        "mkdir", "make a folder; works without the passcode",
        operands: [.volume, Operand("PATH")],
        options: [.protectionClass, NamesOption.parents] + Option.access,
        details: """
            With --class its new children get that class; without, that of the folder it is in.
            """,
        examples: ["seal mkdir vault letters --class complete"],
        run: runMakeFolder)

    static let move = Command(
        "mv", "rename or move a file or folder; works without the passcode",
        operands: [.volume, Operand("FROM"), Operand("TO")],
        options: Option.access,
        details: """
            The class stays. A file at TO is replaced; with the rules 'safer' the stronger of the
            two classes then holds, which may need the passcode. A TO that is a folder takes it in.
            """,
        examples: ["seal mv vault draft.txt letters/final.txt"],
        run: runMove)

    static let remove = Command(
        "rm", "remove files and folders; works without the passcode",
        operands: [.volume, Operand("PATH", repeats: true)],
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
            try volume.makeFolder(path, class: protectionClass)
        }
    }

    private static func makeParents(
        of path: String, class protectionClass: ProtectionClass?, in volume: ProtectedVolume
    ) throws {
        var parent = ""
        for name in path.split(separator: "/").dropLast() {
            parent = joined(parent, String(name))
            guard (try? volume.attributes(of: parent))?.kind != .folder else { continue }
            try volume.makeFolder(parent, class: protectionClass)
        }
    }

    private static func runMove(_ arguments: Arguments) throws {
        let source = arguments.operands[1]
        try VolumeAccess.with(arguments) { volume in
            try volume.rename(source, to: volume.place(for: source, at: arguments.operands[2]))
        }
    }

    private static func runRemove(_ arguments: Arguments) throws {
        let isRecursive = arguments.has(NamesOption.recursive)
        try VolumeAccess.with(arguments) { volume in
            for path in arguments.operands.dropFirst() {
                guard path.contains(where: { $0 != "/" }) else {
                    throw Failure(
                        "the top folder stays",
                        remedy: "to destroy the volume: seal erase \(arguments.volumePath)")
                }
                try remove(path, isRecursive: isRecursive, in: volume)
            }
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
