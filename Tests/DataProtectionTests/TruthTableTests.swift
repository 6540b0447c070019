import DataProtection
import Testing

/// Every cell of the tables in TruthTable.swift, on both stores.
@Suite struct `The truth table` {
    struct Column: CustomTestStringConvertible, Sendable {
        let protectionClass: ProtectionClass
        let state: LockState
        let store: RigStore

        var testDescription: String { "\(protectionClass.letter), \(state), \(store)" }

        static let all = ProtectionClass.allCases.flatMap { protectionClass in
            TruthRow.states.flatMap { state in
                RigStore.allCases.map {
                    Column(protectionClass: protectionClass, state: state, store: $0)
                }
            }
        }
    }

    @Test(arguments: Column.all) func `holds in every cell`(column: Column) throws {
        let rig = try VolumeRig(column.store)
        let rows = TruthTable.rows(column.protectionClass).filter {
            $0.expected(in: column.state) != nil
        }
        for row in rows { try DeedSite.prepare(row.deed, column.protectionClass, in: rig.volume) }
        if column.state == .beforeFirstUnlock { try rig.enter(column.state) }
        let sites = try rows.map { row in
            DeedSite(
                deed: row.deed, protectionClass: column.protectionClass, volume: rig.volume,
                handle: try DeedSite.openHandle(row.deed, in: rig.volume))
        }
        if column.state != .beforeFirstUnlock { try rig.enter(column.state) }
        let outcomes = sites.map { site in Outcome { try site.act() } }
        #expect(rig.volume.lockState == column.state)
        try rig.unlock()
        for (row, (site, outcome)) in zip(rows, zip(sites, outcomes)) {
            #expect(outcome == row.expected(in: column.state), "\(row.deed)")
            try site.verify(outcome)
        }
    }

    @Test(arguments: RigStore.allCases)
    func `of a volume without a passcode has one column`(store: RigStore) throws {
        for protectionClass in ProtectionClass.allCases {
            let rig = try VolumeRig(store, passcode: nil)
            let rows = TruthTable.rows(protectionClass)
            for row in rows { try DeedSite.prepare(row.deed, protectionClass, in: rig.volume) }
            rig.volume.lock()
            try rig.reboot()
            rig.volume.lock(grace: .seconds(10))
            #expect(rig.volume.lockState == .unlocked)
            #expect(rig.volume.isProtectedDataAvailable)
            for row in rows {
                let site = DeedSite(
                    deed: row.deed, protectionClass: protectionClass, volume: rig.volume,
                    handle: try DeedSite.openHandle(row.deed, in: rig.volume))
                let outcome = Outcome { try site.act() }
                #expect(outcome == .done, "\(row.deed)")
                try site.verify(outcome)
            }
        }
    }

    @Test func `begins when a volume gets its first passcode`() throws {
        let rig = try VolumeRig(passcode: nil)
        try rig.volume.write([1], to: "f", class: .complete)
        #expect(!rig.volume.hasPasscode)
        try rig.volume.changePasscode(
            from: nil, to: Passcode(VolumeRig.passcode), cost: .cheap)
        #expect(rig.volume.hasPasscode)
        #expect(try rig.volume.read("f") == [1])
        rig.volume.lock()
        #expect(rig.volume.lockState == .locked)
        #expect(refusal { _ = try rig.volume.read("f") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("f") == [1])
        try rig.reboot()
        #expect(rig.volume.lockState == .beforeFirstUnlock)
    }

    @Test(arguments: TruthRow.states)
    func `never stops work on folders`(state: LockState) throws {
        let rig = try VolumeRig()
        let classes: [ProtectionClass?] = [nil] + ProtectionClass.allCases
        for parent in classes {
            let top = parent?.name ?? "no class"
            try rig.volume.makeFolder(top, class: parent)
            try rig.volume.makeFolder(top + "/old")
            try rig.volume.write([7], to: top + "/child", class: .complete)
        }
        try rig.enter(state)
        for parent in classes {
            let top = parent?.name ?? "no class"
            try rig.volume.makeFolder(top + "/new")
            #expect(try rig.volume.protectionClass(of: top + "/new") == parent)
            #expect(try rig.volume.list(top).map(\.name) == ["child", "new", "old"])
            #expect(try rig.volume.attributes(of: top + "/old").kind == .folder)
            try rig.volume.rename(top + "/old", to: top + "/moved")
            try rig.volume.removeFolder(top + "/moved")
            for target in classes {
                try rig.volume.setProtectionClass(target, of: top)
                #expect(try rig.volume.protectionClass(of: top) == target)
                #expect(try rig.volume.protectionClass(of: top + "/child") == .complete)
                #expect(try rig.volume.protectionClass(of: top + "/new") == parent)
            }
        }
        try rig.unlock()
        #expect(try rig.volume.read("none/child") == [7])
    }

    @Test func `of a folder sealed at lock yields to an explicit weaker class`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("a", class: .complete)
        rig.volume.lock()
        #expect(refusal { try rig.volume.write([1], to: "a/new") } == .sealed)
        #expect(try rig.volume.list("a").isEmpty)
        try rig.volume.write([1], to: "a/d", class: ProtectionClass.none)
        try rig.volume.write([2], to: "a/b", class: .completeUnlessOpen)
        #expect(try rig.volume.read("a/d") == [1])
        #expect(refusal { _ = try rig.volume.read("a/b") } == .sealed)
    }

    @Test func `is answered for each class, not for all together`() throws {
        let rig = try VolumeRig()
        for state in TruthRow.states {
            try rig.enter(state)
            for protectionClass in ProtectionClass.allCases {
                let rows = TruthTable.rows(protectionClass)
                func isDone(_ deed: Deed) -> Bool? {
                    rows.first { $0.deed == deed }?.expected(in: state).map { $0 == .done }
                }
                let found = rig.volume.availability(of: protectionClass)
                #expect(found.canOpen == isDone(.openRead))
                #expect(found.canCreate == isDone(.createExplicit))
                if let expected = isDone(.handleRead) {
                    #expect(found.canUseOpenHandles == expected)
                }
            }
            if state != .unlocked { try rig.unlock() }
        }
    }
}
