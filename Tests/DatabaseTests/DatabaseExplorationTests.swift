import DataProtection
import ProtectedDatabase
import SimulatedDevice
import Synchronization
import Testing

/// A database under every schedule of locks, unlocks, reboots and kills.
@Suite(.serialized) struct `A database under every schedule` {
    private struct Wrong: Error { let what: String }

    /// What the app was told to be committed.
    private final class Acknowledged: Sendable {
        let pairs = Mutex<[Int64]>([])
    }

    /// Writes pairs of rows until all are there, and waits where the volume is locked.
    private static func write(
        _ volume: ProtectedVolume, _ mode: ProtectedDatabaseConfiguration.JournalMode,
        isAlive: () -> Bool, _ acknowledged: Acknowledged
    ) throws {
        var configuration = ProtectedDatabaseConfiguration(protectionClass: .complete)
        configuration.journalMode = mode
        configuration.busyTimeout = .zero
        let database = try ProtectedDatabase.open("db", in: volume, configuration: configuration)
        try database.execute("CREATE TABLE IF NOT EXISTS t (pair, half, UNIQUE (pair, half))")
        let known = try database.query("SELECT DISTINCT pair FROM t").compactMap(\.first)
        for pair in Int64(1)...2 where !known.contains(.integer(pair)) {
            try database.execute("BEGIN")
            for half in Int64(1)...2 {
                try database.execute(
                    "INSERT INTO t VALUES (?, ?)", [.integer(pair), .integer(half)])
            }
            try database.execute("COMMIT")
            if isAlive() { acknowledged.pairs.withLock { $0.append(pair) } }
        }
        try database.close()
    }

    @Test(.timeLimit(.minutes(30)), arguments: ProtectedDatabaseConfiguration.JournalMode.allCases)
    func `keeps each pair that was committed, and no half`(
        _ mode: ProtectedDatabaseConfiguration.JournalMode
    ) throws {
        let result = try ScheduleExplorer().explore(
            ScheduleScenario(
                prepare: { _ in Acknowledged() },
                main: { run in
                    while run.isAlive {
                        do {
                            try Self.write(
                                run.volume, mode, isAlive: { run.isAlive }, run.world)
                            return
                        } catch let error as ProtectedDatabaseError {
                            guard run.isAlive else { return }
                            let isLocked = error.isLocked || error.kind == .interrupted
                            guard isLocked else { throw error }
                        }
                        for await isAvailable in run.volume.protectedDataChanges
                        where isAvailable { break }
                    }
                },
                check: { run in
                    let volume = try run.device.volume
                    let database = try ProtectedDatabase.open("db", in: volume)
                    guard try database.integrity == "ok" else { throw Wrong(what: "damaged") }
                    let rows = try database.query(
                        "SELECT pair, count(*) FROM t GROUP BY pair ORDER BY pair")
                    guard rows == [[1, 2], [2, 2]] else { throw Wrong(what: "\(rows)") }
                }))
        print("a database, \(mode): \(result)".prefix(200))
        #expect(result.failure == nil)
    }
}
