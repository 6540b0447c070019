import DataProtection
import SimulatedDevice
import Testing

/// Power cuts while the keybag changes.
@Suite struct `Power cuts of the keybag` {
    private let made = ProofVolume.locked

    /// Which of these passcodes opens what a cut left.
    private func working(
        _ image: MemoryImage, _ passcodes: [String]
    ) throws(ProtectionError) -> [String] {
        let volume = try ProtectedVolume.open(MemoryStore(image), deviceKey: made.deviceKey)
        return passcodes.filter {
            (try? volume.unlock(passcode: Passcode($0))) != nil
        }
    }

    private func forEachCut(
        of store: CrashingStore, _ body: (MemoryImage, Int) throws -> Void
    ) throws {
        for cut in 0...store.operationCount {
            let cuts = store.possibleCuts(afterOperation: cut)
            let isSmall = cuts.count <= 50
            for number in 0..<(isSmall ? cuts.count : 50) {
                try body(
                    cuts.image(isSmall ? .numbered(number) : .random(seed: UInt64(number))), cut)
            }
        }
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `exactly one of two passcodes works, whenever a change is cut`(
        _ rule: CommitRule
    ) throws {
        let store = CrashingStore(made.image, commitRule: rule)
        let volume = try ProtectedVolume.open(store, deviceKey: made.deviceKey)
        try volume.unlock(passcode: Passcode("old"))
        try volume.changePasscode(
            from: Passcode("old"), to: Passcode("new"), cost: ProofVolume.cost)
        let end = store.operationCount
        var found: Set<[String]> = []
        try forEachCut(of: store) { image, cut in
            let before = try working(image, ["old", "new"])
            #expect(before.count == 1, "after \(cut) operations")
            if cut == end { #expect(before == ["new"]) }
            found.insert(before)
            // The repair of the other copy can be cut as well.
            let repaired = CrashingStore(image, commitRule: rule)
            _ = try ProtectedVolume.open(repaired, deviceKey: made.deviceKey)
            for second in 0...repaired.operationCount {
                let again = repaired.cut(
                    .random(seed: UInt64(second)), afterOperation: second)
                let after = try working(again.image(), ["old", "new"])
                #expect(after == before)
            }
        }
        #expect(found == [["old"], ["new"]])
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `the passcode survives a cut while a recovery key is made`(
        _ rule: CommitRule
    ) throws {
        let store = CrashingStore(made.image, commitRule: rule)
        let volume = try ProtectedVolume.open(store, deviceKey: made.deviceKey)
        let recoveryKey = try volume.makeRecoveryKey(passcode: Passcode("old"))
        let end = store.operationCount
        try forEachCut(of: store) { image, cut in
            let works = try working(image, ["old"])
            #expect(works == ["old"], "after \(cut) operations")
            let opens =
                (try? ProtectedVolume.open(MemoryStore(image), recoveryKey: recoveryKey)) != nil
            if cut == end { #expect(opens) }
        }
    }
}
