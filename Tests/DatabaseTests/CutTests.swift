import DataProtection
import Foundation
import ProtectedDatabase
import SimulatedDevice
import TestSupport
import Testing

/// The power fails at every write of a transaction.
@Suite("A power cut in a database", .serialized, .timeLimit(.minutes(30))) struct CutTests {
    typealias Mode = ProtectedDatabaseConfiguration.JournalMode

    /// What had been promised after how many operations of the disk.
    private struct Promise {
        let operation: Int
        let round: Int
    }

    /// Transactions that each write several pages; the last one is not committed.
    private static func work(
        _ rig: DatabaseRig, _ store: CrashingStore, _ mode: Mode, settings: [String]
    ) throws -> [Promise] {
        var promises: [Promise] = []
        let database = try rig.database(class: .complete)
        for setting in settings { _ = try database.query(setting) }
        _ = try database.query("PRAGMA journal_mode = \(mode.rawValue)")
        // The table begins as a whole, too.
        try database.execute("BEGIN")
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, round, filler)")
        for id in 0..<4 {
            try database.execute(
                "INSERT INTO t VALUES (?, 0, zeroblob(3000))", [.integer(Int64(id))])
        }
        try database.execute("COMMIT")
        promises.append(Promise(operation: store.operationCount, round: 0))
        for round in 1...4 {
            try database.execute(
                "UPDATE t SET round = ?, filler = zeroblob(3000 + ? * 700)",
                [.integer(Int64(round)), .integer(Int64(round))])
            promises.append(Promise(operation: store.operationCount, round: round))
            if mode == .wal, round == 2 { _ = try database.query("PRAGMA wal_checkpoint") }
        }
        try database.execute("PRAGMA cache_size = 1")
        try database.execute("BEGIN")
        try database.execute("UPDATE t SET round = 99, filler = zeroblob(20000)")
        return promises
    }

    /// Cuts after each operation.
    ///
    /// - Returns: what is wrong, and how many cuts there were.
    private static func faults(
        _ mode: Mode, _ rule: CommitRule, settings: [String] = [], every step: Int = 1
    ) throws -> (faults: [String], cutCount: Int) {
        let store = CrashingStore(commitRule: rule)
        let rig = try DatabaseRig(store: store)
        let begin = store.operationCount
        let promises = try work(rig, store, mode, settings: settings)
        let seed = UInt64.random(in: 0...UInt64.max)
        var faults: [String] = []
        var cutCount = 0
        for operation in stride(from: begin, through: store.operationCount, by: step) {
            let outcomes: [CutOutcome] = [
                .nothingUnsynced, .everything, .random(seed: seed &+ UInt64(operation)),
                .random(seed: seed &+ UInt64(operation) &* 31),
            ]
            for outcome in outcomes {
                let kept = promises.last { $0.operation <= operation }?.round ?? -1
                let begun = promises.first { $0.operation > operation }?.round ?? 4
                let disk = store.cut(outcome, afterOperation: operation)
                let what = "cut \(operation), \(outcome), seed \(seed)"
                cutCount += 1
                do {
                    let found = try round(in: rig, on: disk)
                    guard !(kept...begun).contains(found) else { continue }
                    faults.append("\(what): round \(found), and not one of \(kept)...\(begun)")
                } catch {
                    faults.append("\(what): \(error)")
                }
            }
        }
        print("a database, \(mode), \(rule), \(settings): \(cutCount) cuts, seed \(seed)")
        return (faults, cutCount)
    }

    /// Opens what a cut left, and tells the round in which it is: -1 before the first, less when
    /// it is none.
    private static func round(in rig: DatabaseRig, on disk: MemoryStore) throws -> Int {
        let volume = try rig.open(on: disk)
        defer { try? volume.close() }
        let database = try ProtectedDatabase.open("db", in: volume)
        guard try database.integrity == "ok" else { return -9 }
        guard try database.text("SELECT count(*) FROM sqlite_master") == "1" else { return -1 }
        let rounds = try database.query("SELECT DISTINCT round FROM t")
        guard rounds.count == 1, case .integer(let round) = rounds[0][0] else { return -8 }
        // It can be written again.
        try database.execute("UPDATE t SET round = -7")
        guard try database.text("SELECT count(*) FROM t WHERE round = -7") == "4" else { return -6 }
        return Int(round)
    }

    @Test(arguments: Mode.allCases, [CommitRule.wholeJournal, .onlyTheSynced])
    func `keeps what was committed and nothing else`(_ mode: Mode, _ rule: CommitRule) throws {
        let (faults, cutCount) = try Self.faults(mode, rule)
        #expect(faults.isEmpty)
        #expect(cutCount > 200)
    }

    /// Eight pages of the database in one of the host: what is beside a write stays.
    @Test(arguments: [Mode.delete, .wal])
    func `keeps the pages beside the one that is written`(_ mode: Mode) throws {
        let (faults, cutCount) = try Self.faults(
            mode, .onlyTheSynced, settings: ["PRAGMA page_size = 512"],
            every: mode == .wal ? 3 : 4)
        #expect(faults.isEmpty)
        #expect(cutCount > 200)
    }

    /// The control: a database that is told not to wait for the disk loses what it committed.
    @Test func `is noticed where a database does not sync`() throws {
        let (faults, _) = try Self.faults(
            .truncate, .onlyTheSynced, settings: ["PRAGMA synchronous = OFF"], every: 4)
        #expect(faults.count > 10)
    }
}
