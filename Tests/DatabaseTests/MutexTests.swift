import CSQLite
import DataProtection
import ProtectedDatabase
import Testing

/// Connections as other libraries make them: without a mutex, at the lock.
@Suite struct `A connection without a mutex` {
    private static let flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX

    @Test(arguments: ProtectedDatabaseConfiguration.JournalMode.allCases)
    func `begins nothing and commits nothing while locked`(
        _ mode: ProtectedDatabaseConfiguration.JournalMode
    ) throws {
        for unlocksFirst in [false, true] {
            let rig = try DatabaseRig()
            let plain = PlainConnection(
                rig.volume.databaseURI("db", class: .complete), vfs: nil, flags: Self.flags)
            #expect(sqlite3_db_mutex(plain.pointer) == nil)
            #expect(plain.run("PRAGMA journal_mode = \(mode.rawValue)") == SQLITE_OK)
            #expect(plain.run("CREATE TABLE t (a); INSERT INTO t VALUES (1)") == SQLITE_OK)
            #expect(plain.value("SELECT a FROM t") == "1")
            rig.volume.lock()
            #expect(plain.run("SELECT a FROM t") == 7178)
            try rig.unlock()
            #expect(plain.run("BEGIN; INSERT INTO t VALUES (2)") == SQLITE_OK)
            rig.volume.lock()
            if unlocksFirst { try rig.unlock() }
            #expect(plain.run("COMMIT") == 7178)
            #expect(sqlite3_get_autocommit(plain.pointer) == 1)
            if !unlocksFirst { try rig.unlock() }
            #expect(plain.value("SELECT group_concat(a) FROM t") == "1")
            #expect(plain.run("INSERT INTO t VALUES (3)") == SQLITE_OK)
            #expect(plain.value("PRAGMA integrity_check") == "ok")
        }
    }

    /// With one, SQLite tells the volume of every connection, also of what is attached later.
    @Test func `is another matter than one with`() throws {
        let rig = try DatabaseRig()
        let plain = PlainConnection(":memory:", vfs: rig.volume.databaseVFSName)
        let uri = rig.volume.databaseURI("db", class: .complete)
        #expect(plain.run("ATTACH '\(uri)' AS db; CREATE TABLE db.t (a)") == SQLITE_OK)
        #expect(plain.run("BEGIN; INSERT INTO db.t VALUES (1)") == SQLITE_OK)
        rig.volume.lock()
        // The transaction is over: SQLite named this connection to the volume.
        #expect(sqlite3_get_autocommit(plain.pointer) == 1)
        #expect(plain.run("COMMIT") == SQLITE_ERROR)
        try rig.unlock()
        // Told once more, as nobody can see that it was told.
        #expect(plain.run("SELECT * FROM db.t") == 7178)
        #expect(plain.value("SELECT count(*) FROM db.t") == "0")
    }
}
