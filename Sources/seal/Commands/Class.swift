import DataProtection

extension Command {
    static let protectionClass = Command(
        "class", "show or change the class of a file, or of a folder's new files",
        operands: [
            .volume, .path,
            Operand(
                "CLASS", .choice(ProtectionClass.allCases.map(\.name) + ["default"]),
                isOptional: true),
        ],
        options: [ClassOption.recursive, ClassOption.reencrypt, .json] + Option.access,
        details: """
            CLASS is complete, completeUnlessOpen, completeUntilFirstUserAuthentication or none;
            the NSFileProtection… name; or a letter, A to D. For a folder also 'default': its new
            files get the volume's class. What is in a folder keeps its class.

            With --recursive the folder and everything below it: files get the class, folders give
            it to new files; 'default' gives files the volume's class. What cannot be changed is
            said, and the rest is changed. Interrupted, or run again, it does what is left. Without
            CLASS it lists the class of each file and folder. --json has both as an object.

            A file's key is wrapped anew; its content is not written again. An older copy of the
            file's header, in a backup or a snapshot, then opens what is written to the file later.
            With --reencrypt each file is written afresh under a new key, which it does not open;
            without CLASS the files keep their classes.
            """,
        examples: [
            "seal class vault letter.pdf", "seal class vault letter.pdf complete",
            "seal class vault letters --recursive",
            "seal class vault letters complete --recursive --reencrypt",
        ],
        run: runClass)

    private static func runClass(_ arguments: Arguments) throws {
        let isRecursive = arguments.has(ClassOption.recursive)
        let isReencrypting = arguments.has(ClassOption.reencrypt)
        guard isRecursive || !arguments.has(.json) else {
            throw arguments.failure("--json is for --recursive")
        }
        let target = try arguments.classTarget()
        if isRecursive {
            let change = ClassChange(target, isReencrypting: isReencrypting)
            return try ClassTree.change(arguments, change)
        }
        let path = arguments.operands[1]
        try VolumeAccess.with(
            arguments, asking: target == .keep && !isReencrypting ? .never : .whenSealed
        ) { volume in
            let kind = try kindWithClass(path, in: volume)
            if isReencrypting {
                return try reencrypt(path, kind, target, in: volume)
            }
            switch target {
            case .keep:
                try Output.line(try volume.protectionClass(of: path)?.name ?? "default")
            case .protectionClass(let wanted): try volume.setProtectionClass(wanted, of: path)
            case .volumeDefault:
                guard kind == .folder else { throw onlyFolders(path) }
                try volume.setProtectionClass(nil, of: path)
            }
        }
    }

    private static func reencrypt(
        _ path: String, _ kind: ItemKind, _ target: ClassChange.Target, in volume: ProtectedVolume
    ) throws {
        guard kind == .file else {
            throw Failure(
                "\(path): it is a folder",
                remedy: "give --recursive to write afresh what is in it")
        }
        let wanted: ProtectionClass?
        switch target {
        case .keep: wanted = nil
        case .protectionClass(let target): wanted = target
        case .volumeDefault: throw onlyFolders(path)
        }
        let work = LongWork(volume)
        do {
            try volume.reencrypt(path, class: wanted, progress: work.add)
            work.finish()
        } catch {
            work.finish()
            throw work.failure ?? error
        }
    }

    private static func onlyFolders(_ path: String) -> Failure {
        Failure("\(path): only a folder can have the class 'default'")
    }

    /// What is at a path, when it is something that has a class.
    private static func kindWithClass(
        _ path: String, in volume: ProtectedVolume
    ) throws -> ItemKind {
        try volume.requireFolder(ifNamed: path)
        let kind = try volume.attributes(of: path, followingLinks: true).kind
        guard kind == .file || kind == .folder else {
            throw Failure("\(path): it is neither a file nor a folder, so it has no class")
        }
        return kind
    }
}

/// The options of `class` alone.
enum ClassOption {
    static let recursive = Option(
        "--recursive", letter: "r", "a folder, and everything below it")
    static let reencrypt = Option("--reencrypt", "write each file afresh under a new key")
}

extension Arguments {
    /// What the operand CLASS says.
    fileprivate func classTarget() throws -> ClassChange.Target {
        guard let name = operand(2) else { return .keep }
        if name == "default" { return .volumeDefault }
        guard let wanted = ProtectionClass(named: name) else {
            throw failure("'\(name)' is no class: \(Arguments.classChoices)")
        }
        return .protectionClass(wanted)
    }
}
