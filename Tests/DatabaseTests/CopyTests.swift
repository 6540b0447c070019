import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import TestSupport
import Testing

/// Several databases on one connection, and copies of them.
@Suite struct `Copies of a database` {
    private static func source(_ rig: DatabaseRig) throws -> ProtectedDatabase {
        let database = try rig.database("a", class: .complete, .wal)
        try database.execute("CREATE TABLE t (a)")
        for number in 0..<50 {
            try database.execute(
                "INSERT INTO t VALUES (?)",
                [.text("\(number)" + String(repeating: "x", count: 500))])
        }
        return database
    }

    @Test func `are made smaller in place and into another file`() throws {
        let rig = try DatabaseRig()
        let database = try Self.source(rig)
        try database.execute("DELETE FROM t WHERE rowid % 2 = 0")
        try database.execute("VACUUM")
        #expect(try database.text("SELECT count(*) FROM t") == "25")
        try database.execute("VACUUM INTO 'copy'")
        #expect(try rig.volume.protectionClass(of: "copy") == .complete)
        let copy = try rig.database("copy", class: nil)
        #expect(try copy.text("SELECT count(*) FROM t") == "25")
        #expect(try copy.integrity == "ok")
    }

    @Test func `never get a weaker class unasked`() throws {
        let rig = try DatabaseRig()
        try rig.volume.makeFolder("public", class: ProtectionClass.none)
        let database = try Self.source(rig)
        try database.execute("VACUUM INTO 'public/copy'")
        #expect(try rig.volume.protectionClass(of: "public/copy") == .complete)
        // Whoever names the class gets it.
        let uri = rig.volume.databaseURI("public/named", class: ProtectionClass.none)
        try database.execute("VACUUM INTO '\(uri)'")
        #expect(try rig.volume.protectionClass(of: "public/named") == ProtectionClass.none)
        try database.execute("ATTACH 'public/attached' AS other")
        try database.execute("CREATE TABLE other.t AS SELECT * FROM main.t")
        #expect(try rig.volume.protectionClass(of: "public/attached") == .complete)
    }

    @Test func `have the class of what can be read while locked`() throws {
        let rig = try DatabaseRig()
        let database = try rig.database("c", class: .completeUntilFirstUserAuthentication)
        try database.execute("CREATE TABLE t (a)")
        try database.execute("INSERT INTO t VALUES (1)")
        let uri = rig.volume.databaseURI("a", class: .complete)
        try database.execute("ATTACH '\(uri)' AS a")
        try database.execute("CREATE TABLE a.t (a)")
        try rig.volume.makeFolder("public", class: ProtectionClass.none)
        rig.volume.lock()
        #expect(DatabaseOutcome { try database.execute("VACUUM a INTO 'public/a'") } == .locked)
        // SQLite looks at everything that is attached, and so refuses; the file is made by then.
        #expect(DatabaseOutcome { try database.execute("ATTACH 'public/c' AS c") } == .locked)
        #expect(
            try rig.volume.protectionClass(of: "public/c")
                == .completeUntilFirstUserAuthentication)
    }

    @Test func `are attached across classes and committed together`() throws {
        let rig = try DatabaseRig()
        let weak = try rig.database("weak", class: .completeUntilFirstUserAuthentication)
        try weak.execute("CREATE TABLE t (a)")
        try weak.close()
        for mode in ["DELETE", "TRUNCATE", "PERSIST", "WAL"] {
            let database = try Self.source(rig)
            try database.execute("ATTACH 'weak' AS weak")
            #expect(
                try rig.volume.protectionClass(of: "weak")
                    == .completeUntilFirstUserAuthentication)
            _ = try database.query("PRAGMA main.journal_mode = \(mode)")
            _ = try database.query("PRAGMA weak.journal_mode = \(mode)")
            try database.execute("BEGIN")
            try database.execute("INSERT INTO main.t VALUES (1)")
            try database.execute("INSERT INTO weak.t VALUES (1)")
            rig.volume.lock()
            #expect(DatabaseOutcome { try database.execute("COMMIT") } == .locked)
            try rig.unlock()
            #expect(try database.text("SELECT count(*) FROM weak.t") == "0", "\(mode)")
            try database.execute("BEGIN")
            try database.execute("INSERT INTO main.t VALUES (1)")
            try database.execute("INSERT INTO weak.t VALUES (1)")
            try database.execute("COMMIT")
            #expect(try database.text("SELECT count(*) FROM main.t") == "51")
            #expect(try database.text("SELECT count(*) FROM weak.t") == "1")
            try database.execute("DELETE FROM weak.t")
            try database.execute("DETACH weak")
            try database.close()
            #expect(try rig.volume.list().allSatisfy { !$0.name.contains("-mj") })
            for name in ["a", "a-wal", "a-journal"] { try? rig.volume.removeFile(name) }
        }
    }

    @Test func `are made by the backup interface, between volumes and plain files, too`() throws {
        let rig = try DatabaseRig()
        let database = try Self.source(rig)
        let folder = try ScratchFolder()
        let other = try DatabaseRig()
        let targets = [
            PlainConnection("b", vfs: rig.volume.databaseVFSName),
            PlainConnection("c", vfs: other.volume.databaseVFSName),
            PlainConnection(folder.path(of: "plain"), vfs: nil),
        ]
        for target in targets {
            let backup = sqlite3_backup_init(target.pointer, "main", database.handle, "main")
            #expect(sqlite3_backup_step(backup, 2) == SQLITE_OK)
            rig.volume.lock()
            #expect(sqlite3_backup_step(backup, 2) == 7178)
            try rig.unlock()
            #expect(sqlite3_backup_finish(backup) != SQLITE_OK)
            let second = sqlite3_backup_init(target.pointer, "main", database.handle, "main")
            #expect(sqlite3_backup_step(second, -1) == SQLITE_DONE)
            #expect(sqlite3_backup_finish(second) == SQLITE_OK)
            #expect(target.value("SELECT count(*) FROM t") == "50")
            #expect(target.value("PRAGMA integrity_check") == "ok")
        }
    }
}
