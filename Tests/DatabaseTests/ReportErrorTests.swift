import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import TestSupport
import Testing

/// Public reports about what a refusal was mistaken for (docs/reports.md).
@Suite struct `Reports of databases taken for broken` {
    /// Opens a store, and begins a new one when the old one is broken: as many apps do.
    private static func openOrRepair(_ rig: DatabaseRig) throws -> ProtectedDatabase {
        do throws(ProtectedDatabaseError) {
            let database = try ProtectedDatabase.open("db", in: rig.volume)
            _ = try database.query("SELECT count(*) FROM t")
            return database
        } catch {
            guard error.kind == .damaged else { throw error }
            try rig.volume.rename("db", to: "db.corrupt")
            return try ProtectedDatabase.open("db", in: rig.volume)
        }
    }

    private static func rig() throws -> DatabaseRig {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .completeUntilFirstUserAuthentication)
        try database.execute("CREATE TABLE t (a)")
        try database.close()
        return rig
    }

    @Test("Meshtastic-Apple#2247, its database: locked is not corrupt, and corrupt is not locked")
    func recovery() throws {
        let rig = try Self.rig()
        try rig.reboot()
        #expect(DatabaseOutcome { _ = try Self.openOrRepair(rig) } == .locked)
        #expect(try rig.volume.list().map(\.name) == ["db"])
        try rig.unlock()
        #expect(DatabaseOutcome { _ = try Self.openOrRepair(rig) } == .done)
        #expect(try rig.volume.list().map(\.name) == ["db"])
        let file = try rig.volume.openFile("db", .readWrite)
        try file.write([1, 2, 3, 4], at: 0)
        #expect(DatabaseOutcome { _ = try Self.openOrRepair(rig) } == .done)
        #expect(try rig.volume.list().map(\.name).sorted() == ["db", "db.corrupt"])
    }

    @Test("matrix-ios-sdk#1455, its store: who deletes what is no database keeps a locked one")
    func deleteOnError() throws {
        let rig = try Self.rig()
        try rig.reboot()
        let plain = PlainConnection("db", vfs: rig.volume.databaseVFSName)
        let code = plain.openCode == SQLITE_OK ? plain.run("SELECT * FROM t") : plain.openCode
        let isBroken = [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN].contains(code & 0xFF)
        if isBroken { try rig.volume.removeFile("db") }
        #expect(!isBroken)
        #expect(plain.systemError == 1)
        try rig.unlock()
        #expect(try rig.database(class: nil).text("SELECT count(*) FROM t") == "0")
    }

    @Test("safe-ios-legacy#361: a locked database has one number, whatever was asked of it")
    func numbers() throws {
        let rig = try DatabaseRig()
        for mode in ["DELETE", "WAL"] {
            let path = "\(mode).db"
            let plain = PlainConnection(rig.volume.databaseURI(path, class: .complete), vfs: nil)
            #expect(plain.run("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)") == SQLITE_OK)
            #expect(plain.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
            rig.volume.lock()
            for sql in ["SELECT * FROM t", "INSERT INTO t VALUES (2)", "BEGIN IMMEDIATE", "VACUUM"]
            {
                #expect(plain.run(sql) == 7178, "\(mode), \(sql)")
            }
            let second = PlainConnection(path, vfs: rig.volume.databaseVFSName)
            #expect(second.run("SELECT * FROM t") == 7178)
            try rig.unlock()
            #expect(plain.value("SELECT count(*) FROM t") == "1")
        }
        let missing = PlainConnection(
            "missing", vfs: rig.volume.databaseVFSName, flags: SQLITE_OPEN_READWRITE)
        #expect(missing.openCode == SQLITE_CANTOPEN)
    }

    @Test("forums/thread/773180, a store library: all that it makes has the folder's class")
    func storeLibrary() throws {
        let rig = try DatabaseRig()
        try rig.volume.makeFolder("Application Support", class: .complete)
        let plain = PlainConnection(
            rig.volume.databaseURI("Application Support/default.store"), vfs: nil)
        #expect(plain.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a)") == SQLITE_OK)
        let files = try rig.volume.list("Application Support").map(\.name)
        #expect(files.sorted() == ["default.store", "default.store-wal"])
        for file in files {
            #expect(
                try rig.volume.protectionClass(of: "Application Support/" + file) == .complete)
        }
        rig.volume.lock()
        #expect(plain.run("SELECT * FROM t") == 7178)
    }
}
