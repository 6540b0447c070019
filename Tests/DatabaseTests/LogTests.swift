import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// The frames of a write-ahead log are written together when their transaction commits.
@Suite struct `A transaction in a log` {
    /// A database with little room in memory, so that pages go to the log before the commit.
    private static func rig(
        _ rowCount: Int, _ options: MemoryStore.Options = .init()
    ) throws -> (DatabaseRig, ProtectedDatabase) {
        let rig = try DatabaseRig(options: options)
        let database = try rig.database(class: .complete, .wal)
        try database.execute("PRAGMA cache_size = 5")
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, filler)")
        try database.execute("BEGIN")
        try fill(database, rowCount)
        return (rig, database)
    }

    private static func fill(_ database: ProtectedDatabase, _ count: Int) throws {
        for _ in 0..<count {
            try database.execute("INSERT INTO t (a, filler) VALUES (0, randomblob(1500))")
        }
    }

    private static func sum(_ database: ProtectedDatabase) throws -> String {
        try database.text("SELECT count(*) || ' ' || sum(a) || ' ' || sum(length(filler)) FROM t")
    }

    @Test(arguments: [3, 30, 300])
    func `is read by its writer alone before the commit, and by all after it`(
        _ count: Int
    ) throws {
        let (rig, database) = try Self.rig(count)
        let other = try rig.database(class: nil)
        #expect(try other.text("SELECT count(*) FROM t") == "0")
        #expect(try Self.sum(database) == "\(count) 0 \(count * 1500)")
        try database.execute("UPDATE t SET a = a + 1")
        try database.execute("UPDATE t SET a = a + 1 WHERE id % 3 = 0")
        let sum = "\(count) \(count + count / 3) \(count * 1500)"
        #expect(try Self.sum(database) == sum)
        #expect(try other.text("SELECT count(*) FROM t") == "0")
        try database.execute("COMMIT")
        #expect(try Self.sum(other) == sum)
        #expect(try other.integrity == "ok")
        #expect(try database.integrity == "ok")
    }

    @Test(arguments: [3, 30, 300])
    func `goes back to a point in it, and commits the rest`(_ count: Int) throws {
        let (rig, database) = try Self.rig(count)
        try database.execute("SAVEPOINT p")
        try Self.fill(database, count)
        try database.execute("UPDATE t SET a = 7, filler = randomblob(1500)")
        try database.execute("ROLLBACK TO p")
        #expect(try Self.sum(database) == "\(count) 0 \(count * 1500)")
        try Self.fill(database, 2)
        try database.execute("UPDATE t SET a = 1 WHERE id <= 2")
        try database.execute("COMMIT")
        try database.execute("BEGIN")
        try Self.fill(database, count)
        try database.execute("ROLLBACK")
        try Self.fill(database, 1)
        let sum = "\(count + 3) 2 \((count + 3) * 1500)"
        #expect(try Self.sum(database) == sum)
        #expect(try Self.sum(try rig.database(class: nil)) == sum)
        #expect(try database.integrity == "ok")
        try database.close()
        try rig.reboot()
        try rig.unlock()
        #expect(try Self.sum(try rig.database(class: nil)) == sum)
    }

    @Test func `has one call for a commit's frame, its head and its page`() throws {
        let store = CrashingStore(commitRule: .wholeJournal)
        let rig = try DatabaseRig(store: store)
        let database = try rig.database(class: .complete, .wal)
        try database.execute("PRAGMA synchronous = NORMAL")
        try database.execute("CREATE TABLE t (a)")
        try database.execute("INSERT INTO t VALUES (1)")
        let before = store.operationCount
        for _ in 0..<10 { try database.execute("INSERT INTO t VALUES (1)") }
        // The log's new last page, and the one before without its mark.
        #expect(store.operationCount - before == 20)
    }

    /// Nobody can roll a connection without a mutex back from another thread.
    @Test(arguments: [12, 30, 300])
    func `that a lock has taken from a connection without a mutex is never read wrongly`(
        _ count: Int
    ) throws {
        let rig = try DatabaseRig()
        let keeper = try rig.database(class: .complete, .wal)
        try keeper.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, filler)")
        try Self.fill(keeper, count)
        let plain = PlainConnection(
            "/db", vfs: rig.volume.databaseVFSName,
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX)
        #expect(plain.run("PRAGMA cache_size = 5; BEGIN") == SQLITE_OK)
        #expect(plain.run("UPDATE t SET a = 1, filler = randomblob(1500)") == SQLITE_OK)
        rig.volume.lock()
        try rig.unlock()
        let sum = "SELECT count(*) || ' ' || sum(a) || ' ' || sum(length(filler)) FROM t"
        let before = "\(count) 0 \(count * 1500)"
        // What is not lost may still be read, and what is lost is no answer.
        let read = plain.value(sum)
        #expect([nil, before, "\(count) \(count) \(count * 1500)"].contains(read))
        #expect(plain.run("COMMIT") != SQLITE_OK)
        _ = plain.run("ROLLBACK")
        #expect(plain.value(sum) == before)
        #expect(plain.value("PRAGMA integrity_check") == "ok")
        #expect(plain.run("UPDATE t SET a = 2") == SQLITE_OK)
        #expect(try Self.sum(keeper) == "\(count) \(2 * count) \(count * 1500)")
    }

    @Test func `is not committed while the disk is full, and can be made again`() throws {
        let isFull = Atomic(false)
        var options = MemoryStore.Options()
        options.onCall = { (call) throws(HostError) in
            guard isFull.load(ordering: .relaxed), call.operation == .write else { return }
            throw HostError(code: HostError.noSpace, call: "write")
        }
        let (rig, database) = try Self.rig(30, options)
        // Most of it is held: it is written, and refused, now.
        isFull.store(true, ordering: .relaxed)
        #expect(DatabaseOutcome { try database.execute("COMMIT") } == .failed(.full))
        isFull.store(false, ordering: .relaxed)
        if database.isInTransaction { try database.execute("ROLLBACK") }
        #expect(try database.text("SELECT count(*) FROM t") == "0")
        try database.execute("BEGIN")
        try Self.fill(database, 30)
        try database.execute("COMMIT")
        let other = try rig.database(class: nil)
        #expect(try Self.sum(other) == "30 0 45000")
        #expect(try other.integrity == "ok")
    }
}
