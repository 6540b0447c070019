import DataProtection

extension Command {
    static let get = Command(
        "get", "copy a file out of a volume",
        operands: [.volume, .path, Operand("DESTINATION", .hostFile)],
        options: Option.access,
        details: """
            DESTINATION is a file, a folder to put it in, or - for standard output. A file appears
            whole or not at all, with the permission bits it has in the volume; only a regular file
            is overwritten. To standard output, what was read before a failure has been written:
            look at the exit status.

            What leaves the volume has no protection class any more.
            """,
        examples: ["seal get vault letters/letter.pdf .", "seal get vault photos.tar - | tar x"],
        run: runGet)

    private static func runGet(_ arguments: Arguments) throws {
        let path = arguments.operands[1]
        let destination = arguments.operands[2]
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            try volume.requireFolder(ifNamed: path)
            let file = try volume.openFile(path, .read)
            defer { file.close() }
            let mode = try volume.attributes(of: path).mode & 0o777
            if destination == "-" {
                try Transfer.get(file, path) { try Output.bytes($0) }
            } else {
                let host = try HostReplacement.path(
                    for: path, at: destination, outside: arguments.volumePath)
                try HostReplacement.write(to: host, mode: mode) { output in
                    try Transfer.get(file, path) { try output.writeAll($0) }
                }
            }
        }
    }
}
