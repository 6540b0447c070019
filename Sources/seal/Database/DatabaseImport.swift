import DataProtection
import ProtectedDatabase

/// `db import`.
struct DatabaseImport {
    private let arguments: Arguments
    private let source: String
    private let wanted: ProtectionClass?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        source = arguments.operands[2]
        wanted = try arguments.protectionClass(.protectionClass)
    }

    func run() throws {
        let file = try HostSource(source)
        let isForced = arguments.has(DatabaseOption.force)
        try DatabaseAccess.with(arguments, arguments.operands[3]) { volume in
            let path = try volume.place(for: source, at: arguments.operands[3], arguments)
            if !isForced, try volume.kindIfPresent(of: path) != nil {
                throw HostReplacement.isThere(path)
            }
            try volume.replaceFile(
                path, class: wanted, mode: file.status.mode,
                rule: isForced ? .replace : .exclusive
            ) { new in
                try fill(new, from: file, in: volume)
                try volume.settleDatabase(path)
            }
        }
    }

    /// Copies the database by way of another one, which has a name and can be checked.
    private func fill(
        _ new: ProtectedFile, from file: HostSource, in volume: ProtectedVolume
    ) throws {
        try volume.withTemporaryDatabase(class: new.protectionClass) { copy in
            let progress = PageProgress()
            try copy.takeOver(try file.open(), progress: progress.show)
            try file.requireUnchanged()
            let faults = try copy.faults()
            progress.finish()
            guard faults.isEmpty else { throw damaged(faults) }
            var offset: Int64 = 0
            try copy.readFile { chunk in
                try Interruption.check()
                try new.write(chunk, at: offset)
                offset += Int64(chunk.count)
            }
        }
    }

    private func damaged(_ faults: [String]) -> Failure {
        for fault in faults { Terminal.say("\(source): \(fault)") }
        return Failure(
            "\(source): it is damaged, so it was not copied",
            remedy: "sqlite3 \(ShellWord.quoted(source)) .recover writes what can be read",
            exitCode: .damaged)
    }
}

/// A database of the host.
private struct HostSource {
    let status: HostStatus
    private let path: String
    private let place: String
    /// Whether somebody's log is beside it, which is a part of it.
    private let hasLog: Bool
    private let usesLog: Bool

    /// Looks at a file.
    ///
    /// - Throws: when it can be no database.
    init(_ path: String) throws {
        let file = try HostFile(opening: path)
        status = try file.status()
        guard !status.isFolder else { throw Failure("\(path): it is a folder") }
        guard status.isRegular, let place = HostNames.resolved(path) else {
            throw Failure("\(path): it is not a regular file")
        }
        self.path = path
        self.place = place
        var head = [UInt8](repeating: 0, count: 20)
        let count = try file.fill(&head)
        guard count == 20, Array(head[..<16]) == Array("SQLite format 3\0".utf8) else {
            throw DatabaseAccess.noDatabase(path)
        }
        usesLog = head[18] == 2
        hasLog = try HostNames.status(place + "-wal") != nil
    }

    /// Opens it. A database whose log is not there is in nobody's use: to look at it as a reader
    /// would make a log beside it.
    func open() throws -> HostDatabase {
        do throws(ProtectedDatabaseError) {
            return try HostDatabase(place, isQuiet: usesLog && !hasLog)
        } catch {
            // A journal that a program has left must be played back, which changes the file.
            if error.isAboutUnfinishedTransaction || isInterrupted {
                throw Failure(
                    "\(path): a transaction in it was not finished",
                    remedy: "open it once with its program, or: "
                        + "sqlite3 \(ShellWord.quoted(path)) .tables")
            }
            throw DatabaseAccess.reason(error, path)
        }
    }

    private var isInterrupted: Bool {
        let journal = try? HostNames.status(place + "-journal")
        return (journal?.byteCount ?? 0) > 0
    }

    /// Refuses a copy of what was changed meanwhile, where no lock kept others from it.
    func requireUnchanged() throws {
        guard usesLog, !hasLog else { return }
        let now = try HostNames.status(place)
        let log = try HostNames.status(place + "-wal")
        guard log == nil, now?.identity == status.identity, now?.modified == status.modified else {
            throw Failure("\(path): a program has begun to use it", remedy: "try again")
        }
    }
}
