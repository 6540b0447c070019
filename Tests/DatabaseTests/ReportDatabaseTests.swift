import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import Synchronization
import TestSupport
import Testing

/// Public reports about databases, with SQLite itself (docs/reports.md).
@Suite struct `Reports of databases at the lock` {
    @Test("GRDB.swift#1153: files beside a database have its class, whatever the folder says")
    func sideFiles() throws {
        for rules in [RuleSet.safer, .apple] {
            let rig = try DatabaseRig(rules: rules)
            try rig.volume.makeFolder("a", class: .complete)
            let database = try rig.database(
                "a/db", class: .completeUntilFirstUserAuthentication, .wal)
            try database.execute("CREATE TABLE t (a)")
            rig.volume.lock()
            // Where the log had the folder's class this was error 10.
            try database.execute("INSERT INTO t VALUES (1)")
            #expect(try database.text("SELECT count(*) FROM t") == "1")
            #expect(
                try rig.volume.protectionClass(of: "a/db-wal")
                    == .completeUntilFirstUserAuthentication)
        }
    }

    @Test("GRDB.swift#1688: the last close while locked succeeds and keeps a thousand rows")
    func lastClose() throws {
        let rig = try DatabaseRig()
        let plain = PlainConnection(
            rig.volume.databaseURI("db", class: .complete), vfs: nil)
        #expect(plain.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a)") == SQLITE_OK)
        for number in 0..<1000 {
            #expect(plain.run("INSERT INTO t VALUES (\(number))") == SQLITE_OK)
        }
        rig.volume.lock()
        #expect(plain.close() == SQLITE_OK)
        #expect(try rig.volume.attributes(of: "db-wal").size > 0)
        try rig.unlock()
        let again = try rig.database(class: nil)
        #expect(try again.text("SELECT count(*) FROM t") == "1000")
        #expect(try again.integrity == "ok")
    }

    @Test("GRDB.swift#1693, an open connection: a change of class leaves it working")
    func changeOfClass() throws {
        let rig = try DatabaseRig()
        try rig.volume.makeFolder("store", class: ProtectionClass.none)
        let database = try rig.database("store/db", class: nil, .wal)
        try database.execute("CREATE TABLE t (a)")
        try database.execute("INSERT INTO t VALUES (1)")
        for name in ["store", "store/db", "store/db-wal"] {
            try rig.volume.setProtectionClass(.complete, of: name)
        }
        try database.execute("INSERT INTO t VALUES (2)")
        rig.volume.lock()
        #expect(DatabaseOutcome { _ = try database.query("SELECT * FROM t") } == .locked)
        try rig.unlock()
        #expect(try database.text("SELECT count(*) FROM t") == "2")
    }

    @Test("GRDB.swift#957: a lock of the volume leaves no lock on the database")
    func heldLocks() throws {
        for mode in ProtectedDatabaseConfiguration.JournalMode.allCases {
            let rig = try DatabaseRig()
            let first = try rig.database(class: .complete, mode)
            try first.execute("CREATE TABLE t (a)")
            let second = try rig.database()
            try first.execute("BEGIN IMMEDIATE")
            try first.execute("INSERT INTO t VALUES (1)")
            #expect(
                DatabaseOutcome { try second.execute("INSERT INTO t VALUES (2)") }
                    == .failed(.busy))
            rig.volume.lock()
            try rig.unlock()
            try second.execute("INSERT INTO t VALUES (2)")
            #expect(DatabaseOutcome { try first.execute("COMMIT") } == .locked)
            #expect(try first.query("SELECT a FROM t") == [[2]])
        }
    }

    @Test("sqlcipher#156, made by SQLite: every file has the class of its folder")
    func folderDefault() throws {
        let rig = try DatabaseRig()
        try rig.volume.makeFolder("a", class: .complete)
        try rig.volume.makeFolder("a/c", class: .completeUntilFirstUserAuthentication)
        for (name, mode) in [("wal", "WAL"), ("journal", "PERSIST")] {
            let plain = PlainConnection("a/c/\(name).db", vfs: rig.volume.databaseVFSName)
            #expect(plain.run("PRAGMA journal_mode = \(mode); CREATE TABLE t (a)") == SQLITE_OK)
            rig.volume.lock()
            #expect(plain.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
            let files = try rig.volume.list("a/c").filter { $0.name.hasPrefix(name) }
            #expect(files.count == 2)
            for file in files {
                #expect(
                    try rig.volume.protectionClass(of: "a/c/" + file.name)
                        == .completeUntilFirstUserAuthentication, "\(file.name)")
            }
            try rig.unlock()
        }
    }

    @Test("sqlcipher#274: a class comes from a name that is understood or refused, not from flags")
    func openFlags() throws {
        let rig = try DatabaseRig()
        // SQLite drops the flag bits that only Apple's knows before any file layer sees them.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | 0x0010_0000
        let plain = PlainConnection("a", vfs: rig.volume.databaseVFSName, flags: flags)
        #expect(plain.run("CREATE TABLE t (a)") == SQLITE_OK)
        #expect(
            try rig.volume.protectionClass(of: "a") == .completeUntilFirstUserAuthentication)
        let named = PlainConnection("file:b?class=complete", vfs: rig.volume.databaseVFSName)
        #expect(named.run("CREATE TABLE t (a)") == SQLITE_OK)
        #expect(try rig.volume.protectionClass(of: "b") == .complete)
        let wrong = PlainConnection("file:c?class=Complete", vfs: rig.volume.databaseVFSName)
        #expect(wrong.openCode == SQLITE_CANTOPEN)
        #expect(try rig.volume.list().map(\.name).sorted() == ["a", "b"])
    }

    @Test("wcdb#588: the index of a log is memory that no lock takes away under a reader")
    func index() throws {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, .wal)
        try database.execute("CREATE TABLE t (a)")
        for _ in 0..<200 { try database.execute("INSERT INTO t VALUES (randomblob(2000))") }
        #expect(try rig.volume.list().allSatisfy { !$0.name.hasSuffix("-shm") })
        let volume = rig.volume
        for moment in 0..<60 {
            let left = Mutex(moment)
            volume.operationHook = { _ in
                if left.withLock({ left in (left -= 1, left).1 }) == -1 { volume.lock() }
            }
            let outcome = DatabaseOutcome { _ = try database.query("SELECT sum(length(a)) FROM t") }
            volume.operationHook = nil
            #expect(outcome == .done || outcome == .locked)
            try rig.unlock()
        }
        #expect(try database.text("SELECT sum(length(a)) FROM t") == "400000")
    }

    @Test("Instabug-iOS#301, its rows: a writer goes on through locks without losing one")
    func continuousWriter() throws {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, .wal)
        try database.execute("CREATE TABLE t (a)")
        var acknowledged: [[ProtectedDatabaseValue]] = []
        for number in 0..<300 {
            if number % 7 == 3 { rig.volume.lock() }
            if number % 7 == 5 { try rig.unlock() }
            let value = ProtectedDatabaseValue.integer(Int64(number))
            let outcome = DatabaseOutcome {
                try database.execute("INSERT INTO t VALUES (?)", [value])
            }
            #expect(outcome == (number % 7 == 3 || number % 7 == 4 ? .locked : .done))
            if outcome == .done { acknowledged.append([value]) }
        }
        if !rig.volume.isProtectedDataAvailable { try rig.unlock() }
        #expect(try database.query("SELECT a FROM t ORDER BY rowid") == acknowledged)
    }
}
