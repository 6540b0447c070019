import DataProtection

extension Command {
    static let put = Command(
        "put", "copy a file into a volume",
        operands: [.volume, Operand("SOURCE", .hostFile), .path],
        options: [.protectionClass] + Option.access,
        details: """
            SOURCE is a file, or - for standard input. The file at PATH is the old one or the new
            one, never a half; on success the new one is durable. It keeps the permission bits of
            SOURCE. A PATH that is a folder puts the file inside.

            Without --class the rules of the volume choose: a replaced file's stronger class, the
            folder's, the volume's. Class completeUnlessOpen can be put without the passcode.
            """,
        examples: [
            "seal put vault letter.pdf letters/letter.pdf --class complete",
            "tar c photos | seal put vault - photos.tar --class completeUnlessOpen",
        ],
        run: runPut)

    private static func runPut(_ arguments: Arguments) throws {
        let protectionClass = try arguments.protectionClass(.protectionClass)
        let source = arguments.operands[1]
        let isStream = source == "-"
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            let file = isStream ? HostFile.standardInput : try HostFile(reading: source)
            let status = try file.status()
            guard isStream || !status.isFolder else {
                throw Failure(
                    "\(source): it is a folder",
                    remedy: "tar c \(ShellWord.quoted(source)) | "
                        + ShellWord.seal("put", [arguments.volumePath, "-", "PATH"]))
            }
            let path = try volume.place(
                for: isStream ? nil : source, at: arguments.operands[2], arguments)
            try Transfer.put(
                file, as: path, in: volume, class: protectionClass,
                mode: isStream ? 0o600 : status.mode,
                totalByteCount: status.isRegular ? status.byteCount : nil)
        }
    }
}
