import DataProtection
import Foundation
import SimulatedDevice
import TestSupport
import Testing

/// Random workloads, cut at random moments with random disks.
@Suite struct `Power cuts of a volume` {
    /// How much more than usual is tried; `PROOF_SCALE=20` for a long run.
    static let scale = ProcessInfo.processInfo.environment["PROOF_SCALE"].flatMap(Int.init) ?? 1
    /// Another seed for all random choices.
    static let firstSeed =
        ProcessInfo.processInfo.environment["PROOF_SEED"].flatMap(UInt64.init) ?? 1
    private static let cutsPerRun = 60

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `no cut loses what was synced, or makes a file unreadable`(_ rule: CommitRule) throws {
        var cutCount = 0
        let seeds = Self.firstSeed..<Self.firstSeed + UInt64(90 * Self.scale)
        for seed in seeds {
            let run = try CutRun.random(seed: seed, count: 24, rule: rule)
            let live = try CutObservation(run.volume)
            try run.model.check(live, cut: .max)
            for trial in Self.trials(seed: seed, operationCount: run.store.operationCount) {
                cutCount += 1
                do {
                    try trial.run(run)
                } catch {
                    let least = Self.shrink(run.operations, seed: seed, rule: rule)
                    let list = least.map(\.description).joined(separator: "\n  ")
                    Issue.record("seed \(seed), \(trial): \(error)\nLeast workload:\n  \(list)")
                    return
                }
            }
        }
        print("power cuts, \(rule): \(cutCount) cut points, 0 bytes lost, 0 files unreadable")
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `work that goes on after a cut survives the next one`(_ rule: CommitRule) throws {
        var cutCount = 0
        for seed in Self.firstSeed..<Self.firstSeed + UInt64(40 * Self.scale) {
            var image = try CutRun.random(seed: seed, count: 16, rule: rule)
                .store.cut(seed: seed).image()
            for round in 0..<UInt64(3) {
                var run = try CutRun(after: image, rule: rule)
                let start = run.store.operationCount
                try run.performRandomly(seed: seed &* 31 &+ round, count: 10)
                let count = run.store.operationCount
                for trial in Self.trials(seed: seed &+ round, operationCount: count).prefix(12)
                where trial.cut >= start {
                    cutCount += 1
                    do {
                        try trial.run(run)
                    } catch {
                        let list = run.operations.map(\.description).joined(separator: "\n  ")
                        Issue.record("seed \(seed), round \(round), \(trial): \(error)\n  \(list)")
                        return
                    }
                }
                image = run.store.cut(seed: seed &+ round).image()
            }
        }
        print("power cuts in a row, \(rule): \(cutCount) cut points, 0 bytes lost")
    }

    private static func trials(seed: UInt64, operationCount: Int) -> [CutTrial] {
        var generator = SeededGenerator(seed: seed ^ 0xC07)
        return (0..<cutsPerRun).map { number in
            CutTrial(
                cut: Int.random(in: 0...operationCount, using: &generator),
                outcome: number % 20 == 0 ? .nothingUnsynced : .random(seed: generator.next()),
                looksTwice: number % 4 == 1, secondCut: number % 4 == 2 ? generator.next() : nil,
                writesOn: number % 8 < 2)
        }
    }

    /// Whether a workload still fails.
    private static func fails(_ operations: [CutOperation], seed: UInt64, rule: CommitRule) -> Bool
    {
        guard let run = try? CutRun.list(operations, rule: rule) else { return false }
        return (0..<UInt64(4)).contains { round in
            trials(seed: seed &+ round &* 7919, operationCount: run.store.operationCount)
                .contains { trial in
                    do { try trial.run(run) } catch { return true }
                    return false
                }
        }
    }

    /// Leaves operations out, as long as the rest still fails.
    private static func shrink(
        _ operations: [CutOperation], seed: UInt64, rule: CommitRule
    ) -> [CutOperation] {
        var least = operations
        var index = least.count - 1
        while index >= 0 {
            var fewer = least
            fewer.remove(at: index)
            if fails(fewer, seed: seed, rule: rule) { least = fewer }
            index -= 1
        }
        return least
    }
}
