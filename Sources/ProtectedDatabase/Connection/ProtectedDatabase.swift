public import DataProtection
internal import Synchronization

/// A connection to a SQLite database in a volume.
///
///     let database = try ProtectedDatabase.open("notes.db", in: volume, class: .complete)
///     try database.execute("CREATE TABLE IF NOT EXISTS notes (text)")
///     try database.execute("INSERT INTO notes VALUES (?)", ["hello"])
///     for row in try database.query("SELECT text FROM notes") { print(row) }
///
/// While the volume's lock state seals the database's class, every call is refused as `locked`; a
/// transaction that was open at the lock is rolled back, and what was committed is there after the
/// unlock, on the same connection. docs/databases.md has the whole of it. Any thread can use a
/// connection; statements of several threads come one after another.
public final class ProtectedDatabase: Sendable {
    let connection: SQLiteConnection
    let vfs: DatabaseVFS
    /// The volume, which stays open at least as long as the connection.
    public let volume: ProtectedVolume
    /// The database's path in the volume.
    public let path: String
    /// The databases whose commits are known to be durable, by SQLite's names for them.
    let durable = Mutex<DurableSchemas>(DurableSchemas())

    private init(
        _ connection: SQLiteConnection, _ vfs: DatabaseVFS, _ volume: ProtectedVolume, path: String
    ) {
        self.connection = connection
        self.vfs = vfs
        self.volume = volume
        self.path = path
    }

    deinit { connection.closeLater() }

    /// Opens a database, and makes it first if that is asked for.
    ///
    /// - Parameters:
    ///   - path: where it is in the volume; its folder exists. Symbolic links are followed.
    ///   - volume: the volume.
    ///   - protectionClass: the class of the database and all beside it; it goes before the
    ///     configuration's. `nil` leaves it to that.
    ///   - configuration: everything else.
    /// - Throws: `locked` when the class cannot be opened, or made, in this lock state, and nothing
    ///   was made then; `damaged`, `full`, `busy`; `other` when the folder is missing.
    public static func open(
        _ path: String, in volume: ProtectedVolume, class protectionClass: ProtectionClass? = nil,
        configuration: ProtectedDatabaseConfiguration = ProtectedDatabaseConfiguration()
    ) throws(ProtectedDatabaseError) -> ProtectedDatabase {
        let vfs = DatabaseRegistry.vfs(of: volume)
        let uri = volume.databaseURI(
            path, class: protectionClass ?? configuration.protectionClass)
        let connection = try SQLiteConnection.open(
            uri, writes: !configuration.isReadOnly,
            creates: !configuration.isReadOnly && configuration.makesMissing, vfs)
        let database = ProtectedDatabase(connection, vfs, volume, path: path)
        do throws(ProtectedDatabaseError) {
            connection.setBusyTimeout(configuration.busyTimeout)
            // SQLite opens a file only when it is first used; a refusal belongs here.
            _ = try database.query("PRAGMA schema_version")
            // What was committed stays, also when the commit is the removal of a journal.
            _ = try database.query("PRAGMA synchronous = EXTRA")
            if let mode = configuration.journalMode {
                _ = try database.query("PRAGMA journal_mode = \(mode.rawValue)")
            }
        } catch {
            try? database.close()
            throw error
        }
        return database
    }

    /// The class of the database's file; `nil` when it is closed.
    public var protectionClass: ProtectionClass? { mainFile?.file.protectionClass }

    /// Runs one statement for its effect.
    ///
    /// - Parameters:
    ///   - sql: the statement; what follows its end is not run.
    ///   - values: for its parameters, from the first on.
    /// - Throws: `locked`, `busy`, `full`, `damaged`, `interrupted`; `other` for SQL that is wrong
    ///   and for a constraint that fails.
    public func execute(_ sql: String, _ values: [ProtectedDatabaseValue] = [])
        throws(ProtectedDatabaseError)
    {
        guard Self.givesUp(sql) else {
            _ = try query(sql, values)
            return
        }
        // A lock interrupts whatever runs, also what gives a transaction up: that must not fail.
        for _ in 0..<100 {
            do throws(ProtectedDatabaseError) {
                _ = try query(sql, values)
                return
            } catch {
                guard error.isLocked || error.kind == .interrupted, isInTransaction else {
                    throw error
                }
            }
        }
        _ = try query(sql, values)
    }

    /// Whether a statement ends a transaction without its changes, as `ROLLBACK` does and
    /// `ROLLBACK TO` does not.
    private static func givesUp(_ sql: String) -> Bool {
        let words = sql.uppercased().split { !$0.isLetter }
        return words.first == "ROLLBACK" && !words.contains("TO")
    }

    /// Runs one statement and collects its rows.
    ///
    /// - Returns: the rows, each with its values from the first column on.
    /// - Throws: as `execute(_:_:)`.
    public func query(
        _ sql: String, _ values: [ProtectedDatabaseValue] = []
    ) throws(ProtectedDatabaseError) -> [[ProtectedDatabaseValue]] {
        let statement = try prepare(sql)
        try statement.bind(values)
        var rows: [[ProtectedDatabaseValue]] = []
        while let row = try statement.step() { rows.append(row) }
        return rows
    }

    /// Prepares a statement, to be run several times.
    ///
    /// - Throws: as `execute(_:_:)`.
    public func prepare(_ sql: String) throws(ProtectedDatabaseError) -> ProtectedDatabaseStatement
    {
        ProtectedDatabaseStatement(self, try connection.prepare(sql, self), sql: sql)
    }

    /// Whether a transaction that was begun with `BEGIN` is open.
    public var isInTransaction: Bool { connection.isInTransaction }

    /// Ends the statement that is running, from any thread; it then throws `interrupted`.
    public func interrupt() { connection.interrupt() }

    /// Frees the pages that the connection holds in memory. A lock of the volume does this itself.
    public func releaseMemory() { connection.releaseMemory() }

    /// Closes the connection; calling it again does nothing. An open transaction is rolled back.
    ///
    /// While the database is sealed this succeeds, too: a write-ahead log or a journal stays beside
    /// it, and the next connection that opens it unlocked puts it in order.
    /// - Throws: `busy` when a statement is not finished; the connection is still open then.
    public func close() throws(ProtectedDatabaseError) { try connection.close() }

    /// The open file of the database itself.
    var mainFile: OpenFile? {
        guard let handle = connection.handle else { return nil }
        return vfs.withState { $0.connections[handle]?.first }
    }

    /// The error for a code, as it is now.
    func error(_ code: Int32, _ message: String, _ statement: String) -> ProtectedDatabaseError {
        if code & 0xFF == ResultCode.interrupt, mainFile?.isSealed == true {
            return ProtectedDatabaseError(
                code: code, message: message, statement: statement, cause: .transactionMetLock,
                kind: .locked)
        }
        // SQLite knows of no transaction any more, because the lock has rolled it back.
        if code == ResultCode.error, !isInTransaction, mainFile?.forgetFault() == true {
            return ProtectedDatabaseError(
                code: code, message: message, statement: statement, cause: .transactionMetLock,
                kind: .locked)
        }
        if code == ResultCode.authorization, let name = connection.takeRefusedName() {
            return ProtectedDatabaseError(
                code: code, message: Self.refusal(name), statement: statement)
        }
        let cause = vfs.lastFailure.flatMap { ProtectedDatabaseError.fits($0, code) ? $0 : nil }
        return ProtectedDatabaseError(
            code: code, message: message, statement: statement, cause: cause)
    }
}

extension ProtectedDatabase {
    /// Whether memory that SQLite frees is wiped in this process. Only then no page of a cache that
    /// a lock has emptied is left in the heap. It is so when no part of the program has used
    /// SQLite before the first database of a volume; ask for `databaseVFSName` early.
    public static var wipesFreedMemory: Bool { FreedMemory.isWiped ?? false }
}
