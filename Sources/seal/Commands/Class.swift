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
        options: Option.access,
        details: """
            CLASS is complete, completeUnlessOpen, completeUntilFirstUserAuthentication or none;
            the NSFileProtection… name; or a letter, A to D. For a folder also 'default': its new
            files get the volume's class. What is in a folder keeps its class.

            A file's key is wrapped anew; its content is not written again. An older copy of the
            file, in a backup or a snapshot, keeps the older class.
            """,
        examples: ["seal class vault letter.pdf", "seal class vault letter.pdf complete"],
        run: runClass)

    private static func runClass(_ arguments: Arguments) throws {
        let path = arguments.operands[1]
        guard let name = arguments.operand(2) else {
            return try VolumeAccess.with(arguments) { volume in
                _ = try kindWithClass(path, in: volume)
                try Output.line(try volume.protectionClass(of: path)?.name ?? "default")
            }
        }
        let wanted = name == "default" ? nil : ProtectionClass(named: name)
        guard wanted != nil || name == "default" else {
            throw arguments.failure("'\(name)' is no class: \(Arguments.classChoices)")
        }
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            if try kindWithClass(path, in: volume) != .folder, wanted == nil {
                throw Failure("\(path): only a folder can have the class 'default'")
            }
            try volume.setProtectionClass(wanted, of: path)
        }
    }

    /// What is at a path, when it is something that has a class.
    private static func kindWithClass(
        _ path: String, in volume: ProtectedVolume
    ) throws -> ItemKind {
        try volume.requireFolder(ifNamed: path)
        let kind = try volume.attributes(of: path).kind
        guard kind == .file || kind == .folder else {
            throw Failure("\(path): it is neither a file nor a folder, so it has no class")
        }
        return kind
    }
}
