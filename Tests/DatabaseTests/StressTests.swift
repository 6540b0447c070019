import DataProtection
import Foundation
import ProtectedDatabase
import Synchronization
import TestSupport
import Testing

/// What threads count.
private final class Tally: Sendable {
    let acknowledged = Atomic(0)
    let refused = Atomic(0)
    let servedWhileLocked = Atomic(0)
    let lockCount = Atomic(0)
    /// Odd from the return of `lock()` to the call of `unlock()`.
    let epoch = Atomic(0)

    /// On a slow machine, or under a sanitizer, no commit may fit between two locks.
    func waitForAcknowledgement() {
        for _ in 0..<30_000 where acknowledged.load(ordering: .relaxed) == 0 {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    /// The present epoch.
    var now: Int { epoch.load(ordering: .sequentiallyConsistent) }
}

/// Several connections on several threads.
@Suite(.timeLimit(.minutes(30))) struct `Connections side by side` {
    typealias Mode = ProtectedDatabaseConfiguration.JournalMode

    private static func rig(_ mode: Mode) throws -> DatabaseRig {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, mode)
        try database.execute("CREATE TABLE c (n)")
        try database.execute("INSERT INTO c VALUES (0)")
        try database.execute("CREATE TABLE log (worker, step, filler)")
        return rig
    }

    private static func open(_ volume: ProtectedVolume) throws -> ProtectedDatabase {
        var configuration = ProtectedDatabaseConfiguration()
        configuration.busyTimeout = .seconds(60)
        return try ProtectedDatabase.open("db", in: volume, configuration: configuration)
    }

    /// Counts up, in transactions that also write a row.
    private static func count(
        _ database: ProtectedDatabase, _ worker: Int, _ step: Int
    ) throws(ProtectedDatabaseError) {
        do throws(ProtectedDatabaseError) {
            try database.execute("BEGIN IMMEDIATE")
            try database.execute("UPDATE c SET n = n + 1")
            try database.execute(
                "INSERT INTO log VALUES (?, ?, randomblob(3000))",
                [.integer(Int64(worker)), .integer(Int64(step))])
            try database.execute("COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs each on a thread of its own: a connection that waits keeps its thread.
    private static func side(_ works: [@Sendable () throws -> Void]) throws {
        let faults = Mutex<[String]>([])
        let threads = DispatchGroup()
        for work in works {
            threads.enter()
            Thread {
                do { try work() } catch { faults.withLock { $0.append("\(error)") } }
                threads.leave()
            }.start()
        }
        threads.wait()
        #expect(faults.withLock { $0 }.isEmpty)
    }

    @Test(arguments: Mode.allCases)
    func `count without losing one`(_ mode: Mode) throws {
        let rig = try Self.rig(mode)
        let volume = rig.volume
        try Self.side(
            (0..<4).map { worker in
                {
                    let database = try Self.open(volume)
                    for step in 0..<25 { try Self.count(database, worker, step) }
                    #expect(
                        try database.text("SELECT max(n) = (SELECT count(*) FROM log) FROM c")
                            == "1")
                }
            })
        let database = try rig.database()
        #expect(try database.text("SELECT n FROM c") == "100")
        #expect(try database.text("SELECT count(DISTINCT worker * 100 + step) FROM log") == "100")
        #expect(try database.integrity == "ok")
    }

    /// Reads or writes until the end, and counts what came of it.
    private static func work(
        _ worker: Int, _ database: ProtectedDatabase, _ tally: Tally
    ) throws {
        var step = 0
        while tally.lockCount.load(ordering: .relaxed) < 60 {
            step += 1
            let before = tally.now
            do throws(ProtectedDatabaseError) {
                if worker == 0 {
                    _ = try database.query("SELECT count(filler) FROM log")
                } else {
                    try count(database, worker, step)
                    tally.acknowledged.add(1, ordering: .relaxed)
                }
                if before % 2 == 1, before == tally.now {
                    tally.servedWhileLocked.add(1, ordering: .relaxed)
                }
            } catch {
                tally.refused.add(1, ordering: .relaxed)
                // An interruption is told as such when the unlock came meanwhile.
                if error.kind != .locked, error.kind != .interrupted { throw error }
            }
        }
    }

    @Test(arguments: Mode.allCases)
    func `lose nothing that was acknowledged while the volume is locked and unlocked`(
        _ mode: Mode
    ) throws {
        let rig = try Self.rig(mode)
        let volume = rig.volume
        let tally = Tally()
        let workers = try (0..<3).map { worker -> @Sendable () throws -> Void in
            let database = try Self.open(volume)
            return { try Self.work(worker, database, tally) }
        }
        try Self.side(
            workers + [
                {
                    for round in 0..<60 {
                        Thread.sleep(forTimeInterval: 0.012)
                        if round == 30 { tally.waitForAcknowledgement() }
                        volume.lock()
                        tally.epoch.add(1, ordering: .sequentiallyConsistent)
                        Thread.sleep(forTimeInterval: 0.003)
                        tally.epoch.add(1, ordering: .sequentiallyConsistent)
                        try volume.unlock(passcode: Passcode(DatabaseRig.passcode))
                        tally.lockCount.add(1, ordering: .relaxed)
                    }
                }
            ])
        let counts = [
            tally.acknowledged.load(ordering: .relaxed), tally.refused.load(ordering: .relaxed),
            tally.servedWhileLocked.load(ordering: .relaxed),
        ]
        print("connections under locks, \(mode): acknowledged, refused, served: \(counts)")
        #expect(counts[0] > 0 && counts[1] > 0)
        #expect(counts[2] == 0)
        let database = try rig.database()
        #expect(try database.text("SELECT n FROM c") == "\(counts[0])")
        #expect(try database.text("SELECT count(*) FROM log") == "\(counts[0])")
        #expect(try database.integrity == "ok")
    }
}
