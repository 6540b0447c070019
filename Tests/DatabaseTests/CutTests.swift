import DataProtection
import Foundation
import ProtectedDatabase
import SimulatedDevice
import TestSupport
import Testing

/// The power fails at every write of a transaction.
@Suite("A power cut in a database", .timeLimit(.minutes(10))) struct CutTests {
    typealias Mode = DatabaseConfiguration.JournalMode

    /// What had been promised after how many operations of the disk.
    private struct Promise {
        let operation: Int
        let round: Int
    }

    /// Transactions that each write several pages; the last one is not committed.
    private static func work(
        _ rig: DatabaseRig, _ store: CrashingStore, _ mode: Mode
    ) throws -> [Promise] {
        var promises: [Promise] = []
        let database = try rig.database(class: .complete, mode)
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

    @Test(arguments: Mode.allCases, [CommitRule.wholeJournal, .onlyTheSynced])
    func `keeps what was committed and nothing else`(_ mode: Mode, _ rule: CommitRule) throws {
        let store = CrashingStore(commitRule: rule)
        let rig = try DatabaseRig(store: store)
        let begin = store.operationCount
        let promises = try Self.work(rig, store, mode)
        let seed = UInt64.random(in: 0...UInt64.max)
        var cutCount = 0
        for operation in begin...store.operationCount {
            let outcomes: [CutOutcome] = [
                .nothingUnsynced, .everything, .random(seed: seed &+ UInt64(operation)),
                .random(seed: seed &+ UInt64(operation) &* 31),
            ]
            for outcome in outcomes {
                let kept = promises.last { $0.operation <= operation }?.round ?? -1
                let begun = promises.first { $0.operation > operation }?.round ?? 4
                let found = try Self.round(
                    in: rig, on: store.cut(outcome, afterOperation: operation))
                cutCount += 1
                #expect(
                    (kept...begun).contains(found),
                    "\(mode), \(rule), cut \(operation), \(outcome): \(found) of \(kept)...\(begun)"
                )
            }
        }
        print("a database, \(mode), \(rule): \(cutCount) cuts, seed \(seed)")
        #expect(cutCount > 200)
    }

    /// Opens what a cut left, and tells the round in which it is; -1 before the first.
    private static func round(in rig: DatabaseRig, on disk: MemoryStore) throws -> Int {
        let volume = try rig.open(on: disk)
        defer { try? volume.close() }
        let database = try ProtectedDatabase.open("db", in: volume)
        #expect(try database.integrity == "ok")
        guard try database.text("SELECT count(*) FROM sqlite_master") == "1" else { return -1 }
        let rounds = try database.query("SELECT DISTINCT round FROM t")
        guard rounds.count == 1, case .integer(let round) = rounds[0][0] else { return -2 }
        // It can be written again.
        try database.execute("UPDATE t SET round = -7")
        #expect(try database.text("SELECT count(*) FROM t WHERE round = -7") == "4")
        return Int(round)
    }
}
