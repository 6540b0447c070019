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
    /// Odd from the return of `lock()` to the call of `unlock()`.
    let epoch = Atomic(0)
    var now: Int { epoch.load(ordering: .sequentiallyConsistent) }
}

/// Several connections on several threads.
@Suite(.timeLimit(.minutes(5))) struct `Connections side by side` {
    typealias Mode = DatabaseConfiguration.JournalMode

    private static func rig(_ mode: Mode) throws -> DatabaseRig {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, mode)
        try database.execute("CREATE TABLE c (n)")
        try database.execute("INSERT INTO c VALUES (0)")
        try database.execute("CREATE TABLE log (worker, step, filler)")
        return rig
    }

    private static func open(_ volume: ProtectedVolume) throws -> ProtectedDatabase {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(60)
        return try ProtectedDatabase.open("db", in: volume, configuration: configuration)
    }

    /// Counts up, in transactions that also write a row.
    private static func count(
        _ database: ProtectedDatabase, _ worker: Int, _ step: Int
    ) throws {
        do {
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

    @Test(arguments: Mode.allCases)
    func `count without losing one`(_ mode: Mode) async throws {
        let rig = try Self.rig(mode)
        let volume = rig.volume
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    let database = try Self.open(volume)
                    for step in 0..<25 { try Self.count(database, worker, step) }
                    #expect(try database.text("SELECT n = count(*) FROM c, log") == "1")
                }
            }
            try await group.waitForAll()
        }
        let database = try rig.database()
        #expect(try database.text("SELECT n FROM c") == "100")
        #expect(try database.text("SELECT count(DISTINCT worker * 100 + step) FROM log") == "100")
        #expect(try database.integrity == "ok")
    }

    @Test(arguments: Mode.allCases)
    func `lose nothing that was acknowledged while the volume is locked and unlocked`(
        _ mode: Mode
    ) async throws {
        let rig = try Self.rig(mode)
        let volume = rig.volume
        let tally = Tally()
        let end = ContinuousClock.now + .milliseconds(1200)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<3 {
                group.addTask {
                    let database = try Self.open(volume)
                    var step = 0
                    while ContinuousClock.now < end {
                        step += 1
                        let before = tally.now
                        do {
                            if worker == 0 {
                                _ = try database.query("SELECT count(filler) FROM log")
                            } else {
                                try Self.count(database, worker, step)
                                tally.acknowledged.add(1, ordering: .relaxed)
                            }
                            let after = tally.now
                            if before % 2 == 1, before == after {
                                tally.servedWhileLocked.add(1, ordering: .relaxed)
                            }
                        } catch let error as DatabaseError {
                            tally.refused.add(1, ordering: .relaxed)
                            // An interruption is told as such when the unlock came meanwhile.
                            if error.kind != .locked, error.kind != .interrupted { throw error }
                        }
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                while ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(7))
                    volume.lock()
                    tally.epoch.add(1, ordering: .sequentiallyConsistent)
                    try await Task.sleep(for: .milliseconds(2))
                    tally.epoch.add(1, ordering: .sequentiallyConsistent)
                    try volume.unlock(passcode: Passcode(DatabaseRig.passcode))
                }
                if !volume.isProtectedDataAvailable {
                    try volume.unlock(passcode: Passcode(DatabaseRig.passcode))
                }
            }
            try await group.waitForAll()
        }
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
