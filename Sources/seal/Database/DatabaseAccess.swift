import DataProtection
import ProtectedDatabase

/// Opens databases of a volume, and puts what SQLite says into the command's words.
enum DatabaseAccess {
    /// Opens a volume and does something with a database in it.
    ///
    /// When a key is missing and the passcode can be asked for, the work is begun again after the
    /// unlock.
    static func with(
        _ arguments: Arguments, _ path: String, _ work: (ProtectedVolume) throws -> Void
    ) throws {
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            // Before SQLite is used for anything: only then it wipes the memory that it frees.
            _ = volume.databaseVFSName
            do {
                try work(volume)
            } catch let error as ProtectedDatabaseError {
                throw damage(error, path, arguments) ?? reason(error, path)
            }
        }
    }

    /// The failure of an action that met damage in the volume, with what can be done.
    private static func damage(
        _ error: ProtectedDatabaseError, _ path: String, _ arguments: Arguments
    ) -> Failure? {
        let action = DatabaseAction(rawValue: arguments.operands[1])
        guard error.kind == .damaged, action == .query || action == .export,
            !error.isAboutNoDatabase
        else { return nil }
        return Failure(
            Failure(any: reason(error, path)).message,
            remedy: "restore it from a backup, or carry over what can be read: "
                + arguments.databaseCommand("check", path, options: ["--recover", "NEW"]),
            exitCode: .damaged)
    }

    /// Opens a database that is there.
    static func open(_ path: String, in volume: ProtectedVolume) throws -> ProtectedDatabase {
        try require(path, in: volume)
        var configuration = ProtectedDatabaseConfiguration()
        configuration.makesMissing = false
        let database = try ProtectedDatabase.open(path, in: volume, configuration: configuration)
        database.endStatements { Interruption.isPending }
        return database
    }

    /// Refuses a path at which no file is.
    static func require(_ path: String, in volume: ProtectedVolume) throws {
        let found = try volume.attributes(of: path, followingLinks: true)
        guard found.kind != .file else { return }
        let what = found.kind == .folder ? "it is a folder" : "it is not a regular file"
        throw Failure("\(path): \(what)")
    }

    /// Why a database could not be used.
    ///
    /// - Parameter place: the database as the user knows it.
    static func reason(_ error: ProtectedDatabaseError, _ place: String) -> any Error {
        if error.kind == .interrupted, Interruption.isPending { return Interrupted() }
        if let cause = error.cause {
            // Another database, for one that is attached.
            let other = String(cause.place.drop { $0 == "/" })
            return cause.moved(to: other.isEmpty ? place : other)
        }
        if error.isAboutNoDatabase { return noDatabase(place) }
        let code: ExitCode =
            switch error.kind {
            case .locked: .sealed
            case .damaged: .damaged
            default: .failed
            }
        return Failure("\(place): \(error.message)", exitCode: code)
    }
}

extension DatabaseAccess {
    /// A file that SQLite does not know.
    static func noDatabase(_ place: String) -> Failure {
        Failure("\(place): it is no SQLite database, or an encrypted one")
    }
}

/// How far a copy of pages is.
final class PageProgress {
    private var progress = Progress(totalByteCount: nil)

    deinit { progress.finish() }

    /// Takes note, and ends the work when a signal asks for that.
    func show(_ done: Int64, _ total: Int64) throws {
        try Interruption.check()
        progress.show(0, entryCount: Int(done))
    }

    /// The same in bytes.
    func show(_ byteCount: Int64) throws {
        try Interruption.check()
        progress.show(byteCount)
    }

    /// Takes the line away.
    func finish() { progress.finish() }
}
