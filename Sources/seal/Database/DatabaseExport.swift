import DataProtection
import ProtectedDatabase

/// `db export`.
enum DatabaseExport {
    static func run(_ arguments: Arguments) throws {
        let path = arguments.operands[2]
        let destination = arguments.operands[3]
        let isForced = arguments.has(DatabaseOption.force)
        var host: String?
        if destination != "-" {
            let place = try HostReplacement.path(
                for: path, at: destination, outside: arguments.volumePath)
            if !isForced, try HostNames.linkStatus(place) != nil {
                throw HostReplacement.isThere(place)
            }
            host = place
        }
        try DatabaseAccess.with(arguments, path) { volume in
            let source = try DatabaseAccess.open(path, in: volume)
            defer { try? source.close() }
            let mode = try volume.attributes(of: path, followingLinks: true).mode & 0o777
            // A copy in the volume first: what is plain is then one file, written once, without
            // the journals that SQLite would put beside it.
            try volume.withTemporaryDatabase(class: source.protectionClass ?? .complete) { copy in
                let progress = PageProgress()
                try copy.takeOver(source, progress: progress.show)
                let faults = try copy.faults()
                progress.finish()
                for fault in faults { Terminal.say("\(path): \(fault)") }
                guard faults.isEmpty else { throw damaged(path, arguments) }
                guard let host else { return try copy.readFile { try Output.bytes($0) } }
                try HostReplacement.write(to: host, mode: mode, replacing: isForced) { file in
                    try copy.readFile { chunk in
                        try Interruption.check()
                        try file.writeAll(chunk)
                    }
                }
            }
        }
    }

    private static func damaged(_ path: String, _ arguments: Arguments) -> Failure {
        Failure(
            "\(path): it is damaged, so it was not copied",
            remedy: "carry over what can be read: "
                + arguments.databaseCommand("check", path, options: ["--recover", "NEW"]),
            exitCode: .damaged)
    }
}
