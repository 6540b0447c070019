import DataProtection
import Foundation
import ProtectedDatabase
import Synchronization
import TestSupport
import Testing

/// What a lock does to connections, in each journal mode.
@Suite struct `A database at the lock` {
    typealias Mode = ProtectedDatabaseConfiguration.JournalMode

    /// A database of class `complete` with a hundred rows.
    private static func rig(_ mode: Mode, _ protectionClass: ProtectionClass = .complete) throws
        -> (DatabaseRig, ProtectedDatabase)
    {
        let rig = try DatabaseRig()
        let database = try rig.database(class: protectionClass, mode)
        try database.execute("CREATE TABLE t (a, b)")
        try database.execute("BEGIN")
        for number in 0..<100 {
            try database.execute(
                "INSERT INTO t VALUES (?, hex(randomblob(200)))", [.integer(Int64(number))])
        }
        try database.execute("COMMIT")
        return (rig, database)
    }

    private static func expectRows(_ count: Int, _ rig: DatabaseRig, _ database: ProtectedDatabase)
        throws
    {
        #expect(try database.text("SELECT count(*) FROM t") == "\(count)")
        #expect(try database.integrity == "ok")
        let other = try rig.database(class: nil)
        #expect(try other.text("SELECT count(*) FROM t") == "\(count)")
    }

    @Test(arguments: Mode.allCases)
    func `refuses everything and goes on after the unlock`(_ mode: Mode) throws {
        let (rig, database) = try Self.rig(mode)
        // All of it is in the cache by now.
        #expect(try database.text("SELECT count(b) FROM t") == "100")
        for _ in 0..<3 {
            rig.volume.lock()
            let calls: [() throws -> Void] = [
                { _ = try database.query("SELECT count(b) FROM t") },
                { try database.execute("INSERT INTO t VALUES (1, 2)") },
                { try database.execute("BEGIN IMMEDIATE") },
                { _ = try rig.database() },
                { _ = try rig.database(class: nil) },
                { try database.execute("VACUUM") },
            ]
            for (index, call) in calls.enumerated() {
                #expect(DatabaseOutcome(call) == .locked, "call \(index)")
            }
            if mode == .wal {
                #expect(
                    DatabaseOutcome { _ = try database.query("PRAGMA wal_checkpoint") } == .locked)
            }
            try rig.unlock()
            try Self.expectRows(100, rig, database)
        }
        try database.execute("INSERT INTO t VALUES (1, 2)")
        try Self.expectRows(101, rig, database)
    }

    @Test(arguments: Mode.allCases)
    func `ends a statement that is being read`(_ mode: Mode) throws {
        for unlocksFirst in [false, true] {
            let (rig, database) = try Self.rig(mode)
            let statement = try database.prepare("SELECT a, b FROM t")
            #expect(try statement.step() != nil)
            rig.volume.lock()
            if unlocksFirst { try rig.unlock() }
            let outcome = DatabaseOutcome { while try statement.step() != nil {} }
            // After the unlock it is an interruption like any other; it must be begun anew.
            #expect(outcome == (unlocksFirst ? .failed(.interrupted) : .locked))
            if !unlocksFirst { try rig.unlock() }
            try Self.expectRows(100, rig, database)
        }
    }

    @Test(arguments: Mode.allCases)
    func `shows nothing in a transaction that reads`(_ mode: Mode) throws {
        let (rig, database) = try Self.rig(mode)
        try database.execute("BEGIN")
        #expect(try database.text("SELECT count(b) FROM t") == "100")
        rig.volume.lock()
        #expect(DatabaseOutcome { _ = try database.query("SELECT count(b) FROM t") } == .locked)
        try rig.unlock()
        if database.isInTransaction { try database.execute("ROLLBACK") }
        try Self.expectRows(100, rig, database)
    }

    /// What the app does next with a transaction that met the lock.
    enum Next: String, CaseIterable { case insert, select, commit, rollback, close }

    @Test(arguments: Mode.allCases, Next.allCases)
    func `rolls a transaction back that writes`(_ mode: Mode, _ next: Next) throws {
        for (unlocksFirst, isLarge) in [(false, false), (true, false), (false, true), (true, true)]
        {
            let (rig, database) = try Self.rig(mode)
            if isLarge { try database.execute("PRAGMA cache_size = 5") }
            try database.execute("BEGIN")
            try database.execute("UPDATE t SET b = b || 'x'")
            rig.volume.lock()
            if unlocksFirst { try rig.unlock() }
            let outcome = DatabaseOutcome {
                switch next {
                case .insert: try database.execute("INSERT INTO t VALUES (1, 2)")
                case .select: _ = try database.query("SELECT count(*) FROM t")
                case .commit: try database.execute("COMMIT")
                case .rollback: try database.execute("ROLLBACK")
                case .close: try database.close()
                }
            }
            // The one who asks for the end of it is told, or has what was asked for.
            #expect(outcome == (next == .close ? .done : .locked), "\(unlocksFirst) \(isLarge)")
            #expect(!database.isInTransaction)
            if !unlocksFirst { try rig.unlock() }
            let later = next == .close ? try rig.database() : database
            try Self.expectRows(100, rig, later)
            #expect(try later.text("SELECT count(*) FROM t WHERE b LIKE '%x'") == "0")
            try later.execute("INSERT INTO t VALUES (1, 2)")
            try Self.expectRows(101, rig, later)
        }
    }

    @Test(arguments: Mode.allCases)
    func `that comes at any moment of a commit leaves all of it or nothing`(_ mode: Mode) throws {
        var moments = 0
        var outcomes: [DatabaseOutcome: Int] = [:]
        for moment in 0..<200 {
            let (rig, database) = try Self.rig(mode)
            let left = Mutex<Int?>(moment)
            let volume = rig.volume
            volume.operationHook = { _ in
                let isNow = left.withLock { left in
                    left = left.map { $0 - 1 }
                    defer { if left == -1 { left = nil } }
                    return left == -1
                }
                if isNow { volume.lock() }
            }
            let outcome = DatabaseOutcome {
                try database.execute("UPDATE t SET b = 'new'")
            }
            let wasLocked = left.withLock { $0 == nil }
            volume.operationHook = nil
            outcomes[outcome, default: 0] += 1
            #expect(outcome == .done || outcome == .locked)
            if wasLocked { try rig.unlock() }
            let expected = outcome == .done ? "100" : "0"
            #expect(
                try database.text("SELECT count(*) FROM t WHERE b = 'new'") == expected,
                "\(mode), moment \(moment), \(outcome)")
            try Self.expectRows(100, rig, database)
            moments = moment
            if !wasLocked { break }
        }
        print("a lock at \(moments) moments of a commit, \(mode): \(outcomes)")
        #expect(moments > 4 && moments < 199)
    }

    @Test(arguments: Mode.allCases)
    func `closes and loses nothing`(_ mode: Mode) throws {
        let (rig, database) = try Self.rig(mode)
        rig.volume.lock()
        try database.close()
        if mode == .wal { #expect(try rig.volume.attributes(of: "db-wal").size > 0) }
        try rig.unlock()
        try Self.expectRows(100, rig, try rig.database())
    }

    @Test(arguments: Mode.allCases)
    func `of class completeUnlessOpen goes on and is not opened again`(_ mode: Mode) throws {
        let (rig, database) = try Self.rig(mode, .completeUnlessOpen)
        try database.execute("PRAGMA cache_size = 5")
        try database.execute("BEGIN")
        try database.execute("UPDATE t SET b = b || 'x'")
        rig.volume.lock()
        try database.execute("COMMIT")
        for number in 0..<20 {
            try database.execute(
                "INSERT INTO t VALUES (?, randomblob(5000))", [.integer(Int64(number))])
        }
        #expect(try database.text("SELECT count(b) FROM t") == "120")
        #expect(DatabaseOutcome { _ = try rig.database(class: nil) } == .locked)
        try database.close()
        #expect(DatabaseOutcome { _ = try rig.database(class: nil) } == .locked)
        // A new one can be made and used.
        let fresh = try rig.database("fresh", class: .completeUnlessOpen, mode)
        try fresh.execute("CREATE TABLE t (a, b)")
        try fresh.execute("INSERT INTO t VALUES (1, 2)")
        #expect(try fresh.text("SELECT count(*) FROM t") == "1")
        try rig.unlock()
        try Self.expectRows(120, rig, try rig.database(class: nil))
        #expect(try fresh.integrity == "ok")
    }

    @Test(arguments: Mode.allCases)
    func `of the other classes goes on as the class allows`(_ mode: Mode) throws {
        for protectionClass in [
            ProtectionClass.completeUntilFirstUserAuthentication, .none,
        ] {
            let (rig, database) = try Self.rig(mode, protectionClass)
            rig.volume.lock()
            try database.execute("INSERT INTO t VALUES (1, 2)")
            try Self.expectRows(101, rig, database)
            try database.close()
            try rig.reboot()
            let outcome = DatabaseOutcome {
                let early = try rig.database(class: nil)
                try early.execute("INSERT INTO t VALUES (1, 2)")
            }
            #expect(outcome == (protectionClass == .none ? .done : .locked))
        }
    }

    @Test func `is a refusal with its own code for C programs`() throws {
        let (rig, database) = try Self.rig(.wal)
        let plain = PlainConnection("db", vfs: rig.volume.databaseVFSName)
        #expect(plain.value("SELECT count(*) FROM t") == "100")
        rig.volume.lock()
        #expect(plain.run("SELECT count(*) FROM t") == 7178)
        #expect(plain.systemError == 1)
        let second = PlainConnection("db", vfs: rig.volume.databaseVFSName)
        #expect(second.run("SELECT count(*) FROM t") == 7178)
        try rig.unlock()
        #expect(plain.value("SELECT count(*) FROM t") == "100")
        try database.execute("DELETE FROM t")
        #expect(plain.value("SELECT count(*) FROM t") == "0")
    }

    @Test func `in the grace nothing has happened yet`() throws {
        let (rig, database) = try Self.rig(.wal)
        try database.execute("BEGIN")
        try database.execute("DELETE FROM t WHERE a < 50")
        rig.volume.lock(grace: .seconds(1000))
        #expect(try database.text("SELECT count(*) FROM t") == "50")
        try rig.unlock()
        try database.execute("COMMIT")
        try Self.expectRows(50, rig, database)
    }
}
