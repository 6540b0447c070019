import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import TestSupport
import Testing

/// SQLite on a volume, by its own C interface and by ours.
@Suite struct `A database in a volume` {
    typealias Mode = ProtectedDatabaseConfiguration.JournalMode

    @Test(arguments: Mode.allCases)
    func `keeps what was written`(_ mode: Mode) throws {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, mode)
        #expect(try database.text("PRAGMA journal_mode") == mode.rawValue)
        try database.execute("CREATE TABLE t (a, b)")
        let values: [ProtectedDatabaseValue] = [
            1, .real(1.5), "text", .blob([0, 1, 255]), .null, .blob([]), "",
        ]
        for value in values {
            try database.execute("INSERT INTO t VALUES (?, ?)", [value, "x"])
        }
        try database.close()
        try rig.reboot()
        try rig.unlock()
        let again = try rig.database()
        #expect(try again.query("SELECT a FROM t ORDER BY rowid").map { $0[0] } == values)
        #expect(try again.integrity == "ok")
    }

    @Test func `is opened by C programs under the volume's name`() throws {
        let rig = try DatabaseRig()
        let name = rig.volume.databaseVFSName
        #expect(rig.volume.databaseVFSName == name)
        try rig.volume.makeFolder("a")
        let plain = PlainConnection("/a/../db", vfs: name)
        #expect(plain.openCode == SQLITE_OK)
        #expect(plain.run("CREATE TABLE t (a); INSERT INTO t VALUES ('x')") == SQLITE_OK)
        #expect(plain.close() == SQLITE_OK)
        let byURI = PlainConnection(rig.volume.databaseURI("db"), vfs: nil)
        #expect(byURI.value("SELECT a FROM t") == "x")
        #expect(byURI.value("PRAGMA mmap_size = 1000000") == "0")
        let odd = "odd name? 100% #1&c=d.db"
        let other = PlainConnection(rig.volume.databaseURI(odd, class: .complete), vfs: nil)
        #expect(other.run("CREATE TABLE t (a)") == SQLITE_OK)
        #expect(try rig.volume.protectionClass(of: odd) == .complete)
    }

    @Test func `has its name with SQLite as long as it can be used`() throws {
        var rig: DatabaseRig? = try DatabaseRig()
        let name = try #require(rig).volume.databaseVFSName
        #expect(sqlite3_vfs_find(name) != nil)
        let plain = PlainConnection("db", vfs: name)
        #expect(plain.run("CREATE TABLE t (a)") == SQLITE_OK)
        try rig?.volume.close()
        #expect(sqlite3_vfs_find(name) != nil)
        #expect(plain.run("INSERT INTO t VALUES (1)") & 0xFF == SQLITE_IOERR)
        #expect(plain.close() == SQLITE_OK)
        #expect(sqlite3_vfs_find(name) == nil)
        rig = nil

        var second: DatabaseRig? = try DatabaseRig()
        let store = try #require(second).store
        let secondName = try #require(second).volume.databaseVFSName
        var open: PlainConnection? = PlainConnection("db", vfs: secondName)
        #expect(open?.run("CREATE TABLE t (a)") == SQLITE_OK)
        second = nil
        // The connection keeps the volume open.
        #expect(throws: HostError.self) { try store.acquireOwnership() }
        #expect(open?.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
        open = nil
        #expect(sqlite3_vfs_find(secondName) == nil)
        try store.acquireOwnership()
    }

    @Test func `is never mapped into memory`() throws {
        let rig = try DatabaseRig()
        let database = try rig.database()
        try database.execute("PRAGMA mmap_size = 100000000")
        try database.execute("CREATE TABLE t (a)")
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(
            database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        let methods = try #require(file?.pointee.pMethods)
        #expect(methods.pointee.iVersion == 2)
        #expect(methods.pointee.xFetch == nil)
        var size: Int64 = 5_000_000
        sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_MMAP_SIZE, &size)
        #expect(size == 0)
    }

    /// SQLite's manual: a layer that does not do so damages databases sooner or later.
    @Test func `reads zeros behind its end`() throws {
        let rig = try DatabaseRig()
        let database = try rig.database()
        try database.execute("CREATE TABLE t (a)")
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        let methods = try #require(file?.pointee.pMethods)
        var bytes = [UInt8](repeating: 255, count: 100)
        #expect(methods.pointee.xRead(file, &bytes, 100, 8192 - 10) == 522)
        #expect(bytes.dropFirst(10).allSatisfy { $0 == 0 })
    }

    @Test func `answers the questions about its file`() throws {
        let rig = try DatabaseRig()
        let database = try rig.database(class: nil, .wal)
        try database.execute("CREATE TABLE t (a)")
        let handle = database.handle
        func number(_ operation: Int32, _ value: Int32) -> Int32 {
            var value = value
            let code = sqlite3_file_control(handle, "main", operation, &value)
            return code == SQLITE_OK ? value : -99
        }
        var name: UnsafeMutablePointer<CChar>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_VFSNAME, &name)
        #expect(name.map { String(cString: $0) } == rig.volume.databaseVFSName)
        sqlite3_free(name)
        #expect(number(SQLITE_FCNTL_POWERSAFE_OVERWRITE, -1) == 1)
        #expect(number(SQLITE_FCNTL_PERSIST_WAL, -1) == 0)
        #expect(number(SQLITE_FCNTL_PERSIST_WAL, 1) == 1)
        #expect(number(SQLITE_FCNTL_LOCK_TIMEOUT, 20) == 0)
        #expect(number(SQLITE_FCNTL_LOCK_TIMEOUT, 0) == 20)
        #expect(number(SQLITE_FCNTL_LOCKSTATE, 9) == SQLITE_LOCK_SHARED)
        #expect(number(SQLITE_FCNTL_HAS_MOVED, 9) == 0)
        try rig.volume.rename("db", to: "other")
        #expect(number(SQLITE_FCNTL_HAS_MOVED, 9) == 1)
        try rig.volume.rename("other", to: "db")
        #expect(number(SQLITE_FCNTL_CHUNK_SIZE, 1_000_000) == 1_000_000)
        try database.execute("INSERT INTO t VALUES (zeroblob(100000))")
        #expect(try database.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
        try database.close()
        #expect(try rig.volume.attributes(of: "db-wal").kind == .file)
    }

    @Test func `one database has one journal, whatever it is called`() throws {
        let rig = try DatabaseRig()
        try rig.volume.makeFolder("a")
        try rig.volume.makeSymbolicLink("link", target: "a/db")
        let database = try rig.database("link", class: nil, .wal)
        try database.execute("CREATE TABLE t (a)")
        #expect(try rig.volume.attributes(of: "a/db-wal").kind == .file)
        let plain = PlainConnection(
            "link", vfs: rig.volume.databaseVFSName,
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW)
        #expect(plain.openCode == SQLITE_CANTOPEN)
    }

    @Test func `that is missing is not made unless that is asked for`() throws {
        let rig = try DatabaseRig()
        var configuration = ProtectedDatabaseConfiguration()
        configuration.makesMissing = false
        do {
            _ = try ProtectedDatabase.open("none", in: rig.volume, configuration: configuration)
            Issue.record("it was opened")
        } catch {
            #expect(error.kind == .other && error.code == SQLITE_CANTOPEN)
            #expect(error.cause?.code == .missing)
        }
        #expect(try rig.volume.list().isEmpty)
    }

    @Test func `takes its class as Core Data's store does`() throws {
        let rig = try DatabaseRig()
        var configuration = ProtectedDatabaseConfiguration()
        try configuration.setOption(
            .complete, forKey: ProtectedDatabaseConfiguration.fileProtectionKey)
        #expect(throws: ProtectionError.self) {
            try configuration.setOption(.complete, forKey: "NSOther")
        }
        let database = try ProtectedDatabase.open("s", in: rig.volume, configuration: configuration)
        #expect(database.protectionClass == .complete)
        // An old store is given the class that is asked for, and what lies beside it, too.
        try database.execute("PRAGMA journal_mode = WAL")
        try database.execute("CREATE TABLE t (a)")
        let again = try ProtectedDatabase.open("s", in: rig.volume, class: .completeUnlessOpen)
        #expect(again.protectionClass == .completeUnlessOpen)
        #expect(try rig.volume.protectionClass(of: "s-wal") == .completeUnlessOpen)
        // At once, and not when SQLite looks at its log.
        let waiting = PlainConnection("file:s?class=complete", vfs: rig.volume.databaseVFSName)
        #expect(waiting.openCode == SQLITE_OK)
        #expect(try rig.volume.protectionClass(of: "s-wal") == .complete)
        let plain = PlainConnection("file:s?class=strong", vfs: rig.volume.databaseVFSName)
        #expect(plain.run("SELECT * FROM t") == SQLITE_CANTOPEN)
        let shared = PlainConnection("file:s?cache=shared", vfs: rig.volume.databaseVFSName)
        #expect(shared.openCode == SQLITE_CANTOPEN)
    }

    @Test(arguments: [RuleSet.safer, .apple], Mode.allCases)
    func `has its class on every file beside it`(_ rules: RuleSet, _ mode: Mode) throws {
        let rig = try DatabaseRig(rules: rules)
        for folder in [ProtectionClass?.none, .some(.complete), .some(.none)] {
            for asked in [ProtectionClass?.none, .complete, .completeUnlessOpen] {
                let name = "\(folder?.letter ?? "-")\(asked?.letter ?? "-")"
                try rig.volume.makeFolder(name, class: folder)
                let database = try rig.database(name + "/db", class: asked, mode)
                try database.execute("CREATE TABLE t (a)")
                try database.execute("BEGIN")
                try database.execute("INSERT INTO t VALUES (1)")
                try database.execute("PRAGMA cache_size = 1")
                try database.execute("INSERT INTO t VALUES (randomblob(100000))")
                let expected = asked ?? folder ?? rig.volume.defaultClass
                let files = try rig.volume.list(name).map(\.name)
                #expect(files.count == 2, "\(files)")
                for file in files {
                    #expect(
                        try rig.volume.protectionClass(of: "\(name)/\(file)") == expected,
                        "\(name)/\(file)")
                }
                try database.execute("COMMIT")
                try database.close()
            }
        }
    }
}
