import DataProtection
import Foundation
import ProtectedDatabase
import SimulatedDevice
import TestSupport
import Testing

/// The power fails in a transaction over two databases, which a super-journal holds together.
@Suite("A power cut in two databases", .timeLimit(.minutes(30))) struct TwoDatabaseCutTests {
    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `keeps a transaction in both or in neither`(_ rule: CommitRule) throws {
        let store = CrashingStore(commitRule: rule)
        let rig = try DatabaseRig(store: store)
        let database = try rig.database("a", class: .complete, .delete)
        try database.execute("ATTACH 'b' AS b")
        try database.execute("CREATE TABLE main.t (x)")
        try database.execute("CREATE TABLE b.t (x)")
        let begin = store.operationCount
        try database.execute("BEGIN")
        try database.execute("INSERT INTO main.t VALUES (1)")
        try database.execute("INSERT INTO b.t VALUES (1)")
        try database.execute("COMMIT")
        var found: Set<String> = []
        for operation in begin...store.operationCount {
            for outcome in [CutOutcome.nothingUnsynced, .everything] {
                // Whichever is opened first: the other's journal is looked at then.
                for names in [["a", "b"], ["b", "a"]] {
                    let disk = store.cut(outcome, afterOperation: operation)
                    let counts = try Self.counts(names, in: rig, on: disk)
                    #expect(counts[0] == counts[1], "cut \(operation), \(outcome), \(names)")
                    found.insert(counts[0])
                }
            }
        }
        #expect(found == ["0", "1"])
    }

    private static func counts(
        _ names: [String], in rig: DatabaseRig, on disk: MemoryStore
    ) throws -> [String] {
        let volume = try rig.open(on: disk)
        defer { try? volume.close() }
        return try names.map { name in
            let database = try ProtectedDatabase.open(name, in: volume)
            #expect(try database.integrity == "ok")
            return try database.text("SELECT count(*) FROM t")
        }
    }
}
