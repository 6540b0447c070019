import DataProtection
import SimulatedDevice
import Testing

/// A short trace, all of whose cuts are tried.
struct CutScenario: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var operations: [CutOperation]

    init(_ name: String, _ operations: CutOperation...) {
        testDescription = name
        self.operations = operations
    }

    static let all = [
        CutScenario("create, write", .create("a", .complete), .append("a", count: 50)),
        CutScenario(
            "append within a page", .replace("a", count: 100, nil), .append("a", count: 200)),
        CutScenario(
            "append over a page's end", .replace("a", count: 3500, nil), .append("a", count: 100)),
        CutScenario(
            "grow over four pages", .replace("a", count: 100, nil), .append("a", count: 14_000)),
        CutScenario(
            "grow twice", .replace("a", count: 100, nil), .append("a", count: 5000),
            .append("a", count: 5000)),
        CutScenario(
            "write in place", .replace("a", count: 14_000, nil),
            .write("a", offset: 3000, count: 6000)),
        CutScenario(
            "cut, then sync", .replace("a", count: 9000, nil), .truncate("a", size: 4000),
            .syncFile("a")),
        CutScenario(
            "cut, then grow again", .replace("a", count: 9000, nil), .truncate("a", size: 3000),
            .append("a", count: 6000)),
        CutScenario(
            "cut at a page's end", .replace("a", count: 9000, nil), .truncate("a", size: 3540),
            .append("a", count: 1)),
        CutScenario(
            "empty, then write", .replace("a", count: 5000, .complete), .rewrite("a", count: 5000)),
        CutScenario(
            "extend with a hole", .replace("a", count: 100, nil),
            .write("a", offset: 80_000, count: 50)),
        CutScenario(
            "cut a hole away", .replace("a", count: 100, nil),
            .write("a", offset: 80_000, count: 50), .syncFile("a"), .truncate("a", size: 50_000),
            .append("a", count: 50)),
        CutScenario(
            "change a class", .replace("a", count: 100, nil), .append("a", count: 10),
            .setClass("a", .complete), .append("a", count: 10)),
        CutScenario(
            "rename over a stricter file", .replace("a", count: 100, .complete),
            .create("b", ProtectionClass.none), .append("b", count: 10), .syncFile("b"),
            .rename("b", to: "a")),
        CutScenario("replace", .replace("a", count: 100, nil), .replace("a", count: 50, nil)),
        CutScenario(
            "a folder with a file", .makeFolder("d", .complete), .syncFolder(""),
            .create("d/a", nil), .append("d/a", count: 10), .syncFile("d/a"),
            .rename("d", to: "e")),
        CutScenario(
            "lower a folder's class under a new file", .makeFolder("d", .complete),
            .syncFolder(""), .create("d/a", nil),
            .setClass("d", .completeUntilFirstUserAuthentication), .append("d/a", count: 10)),
        CutScenario(
            "move a new file into a weaker folder", .makeFolder("d", ProtectionClass.none),
            .syncFolder(""), .create("a", nil), .rename("a", to: "d/a"), .syncFolder("d"),
            .append("d/a", count: 10)),
        CutScenario(
            "a second name in a weaker folder", .makeFolder("d", .complete),
            .create("d/a", nil), .link("d/a", to: "b"), .remove("d/a"), .syncFolder("")),
        CutScenario(
            "punch a hole", .replace("a", count: 14_000, nil),
            .punchHole("a", offset: 3000, count: 9000), .append("a", count: 10), .syncFile("a")),
        CutScenario(
            "two files change places", .replace("a", count: 100, .complete),
            .replace("b", count: 50, ProtectionClass.none), .exchange("a", "b"),
            .append("a", count: 10)),
        CutScenario(
            "a second name", .replace("a", count: 100, nil), .link("a", to: "b"),
            .append("b", count: 5000), .rename("b", to: "c"), .remove("a")),
        CutScenario(
            "a mode that is kept", .replace("a", count: 100, nil), .setMode("a", 0o200),
            .append("a", count: 10), .setMode("a", 0o600)),
        CutScenario(
            "a folder made and removed", .makeFolder("d", nil), .makeFolder("e", nil),
            .rename("d", to: "e"), .removeFolder("e")),
        CutScenario(
            "a folder's class", .makeFolder("d", .complete), .setClass("d", .none)),
        CutScenario(
            "a long name", .create(CutOperation.longName, nil), .syncFile(CutOperation.longName),
            .rename(CutOperation.longName, to: "a"), .rename("a", to: CutOperation.longName),
            .remove(CutOperation.longName)),
        CutScenario(
            "close and open again", .replace("a", count: 5000, nil), .append("a", count: 5000),
            .restart, .append("a", count: 5000), .restart),
        CutScenario(
            "unlink and make again", .replace("a", count: 5000, .complete), .remove("a"),
            .create("a", nil), .append("a", count: 10), .syncFile("a")),
    ]
}

/// Every moment of short traces, with every disk, or several hundred where there are more.
@Suite struct `Power cuts at every moment` {
    private static let outcomesPerCut = 60

    @Test(arguments: CutScenario.all, [CommitRule.wholeJournal, .onlyTheSynced])
    func `holds what was promised`(_ scenario: CutScenario, _ rule: CommitRule) throws {
        let run = try CutRun.list(scenario.operations, rule: rule)
        #expect(run.operations.count == scenario.operations.count)
        for cut in 0...run.store.operationCount {
            let cuts = run.store.possibleCuts(afterOperation: cut)
            let isSmall = cuts.count <= Self.outcomesPerCut
            for number in 0..<(isSmall ? cuts.count : Self.outcomesPerCut) {
                let outcome: CutOutcome =
                    isSmall ? .numbered(number) : .random(seed: UInt64(number))
                let trial = CutTrial(
                    cut: cut, outcome: outcome, looksTwice: number % 4 == 0,
                    secondCut: number % 4 == 1 ? UInt64(number) : nil)
                do {
                    try trial.run(run, cuts: cuts)
                } catch {
                    Issue.record("\(trial): \(error)")
                    return
                }
            }
        }
    }
}
