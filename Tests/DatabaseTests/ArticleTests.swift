import CSQLite
import DataProtection
import ProtectedDatabase
import SimulatedDevice
import Testing

/// The code of the article about databases, as it stands there.
@Suite struct `The article about databases` {
    private let rig: DatabaseRig
    private var volume: ProtectedVolume { rig.volume }

    init() throws {
        rig = try DatabaseRig()
        try rig.unlock()
    }

    private func record(_ text: String, in volume: ProtectedVolume) throws -> Bool {
        let database = try ProtectedDatabase.open("diary.db", in: volume, class: .complete)
        do {
            try database.execute("CREATE TABLE IF NOT EXISTS entries (text)")
            try database.execute("INSERT INTO entries VALUES (?)", [.text(text)])
            return true
        } catch {
            guard error.isLocked else { throw error }
            return false  // nothing of it was stored: do it again after the unlock
        }
    }

    @Test func `stores an entry, and nothing while locked`() throws {
        #expect(try record("hello", in: volume))
        volume.lock()
        let error = #expect(throws: ProtectedDatabaseError.self) {
            try record("again", in: volume)
        }
        #expect(error?.isLocked == true)
        try rig.unlock()
        let database = try ProtectedDatabase.open("diary.db", in: volume)
        #expect(try database.query("SELECT text FROM entries") == [["hello"]])
    }

    @Test func `names the class as Core Data does`() throws {
        var configuration = ProtectedDatabaseConfiguration()
        try configuration.setOption(
            .complete, forKey: ProtectedDatabaseConfiguration.fileProtectionKey)
        let database = try ProtectedDatabase.open(
            "store.sqlite", in: volume, configuration: configuration)
        #expect(database.protectionClass == .complete)
    }

    @Test func `opens with SQLite's own functions, by name and by URI`() throws {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        let code = sqlite3_open_v2("notes.db", &connection, flags, volume.databaseVFSName)
        #expect(code == SQLITE_OK)
        #expect(sqlite3_exec(connection, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)

        let uri = volume.databaseURI("other.db", class: .complete)
        #expect(sqlite3_open_v2(uri, &connection, flags | SQLITE_OPEN_URI, nil) == SQLITE_OK)
        #expect(sqlite3_exec(connection, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)
        #expect(try volume.attributes(of: "other.db").protectionClass == .complete)
    }

    @Test func `knows that Apple's flags for a class do nothing`() throws {
        var connection: OpaquePointer?
        let complete: Int32 = 0x0010_0000  // SQLITE_OPEN_FILEPROTECTION_COMPLETE
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        try volume.makeFolder("None", class: ProtectionClass.none)
        #expect(
            sqlite3_open_v2("None/db", &connection, flags | complete, volume.databaseVFSName)
                == SQLITE_OK)
        #expect(sqlite3_exec(connection, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)
        #expect(try volume.attributes(of: "None/db").protectionClass == ProtectionClass.none)
    }

    @Test func `keeps a store in a folder of its own, with all that is beside it`() throws {
        try volume.makeFolder("Store", class: .complete)
        let database = try ProtectedDatabase.open("Store/default.store", in: volume)
        _ = try database.query("PRAGMA journal_mode = WAL")
        try database.execute("CREATE TABLE t (a)")
        for entry in try volume.list("Store") {
            #expect(
                try volume.attributes(of: "Store/" + entry.name).protectionClass == .complete,
                "\(entry.name)")
        }
        #expect(try volume.list("Store").count == 2)
    }
}
