import DataProtection
import Testing

@Suite struct `A change of many classes` {
    /// A tree with every class, a file with two names, links and a folder with a class of its own.
    private static func tree(_ store: RigStore) throws -> VolumeRig {
        let rig = try VolumeRig(store)
        try rig.volume.makeFolder("top")
        try rig.volume.makeFolder("top/inner", class: .completeUnlessOpen)
        for protectionClass in ProtectionClass.allCases {
            let content = pattern(5000, seed: UInt64(protectionClass.rawValue))
            try rig.volume.write(content, to: "top/\(protectionClass)", class: protectionClass)
            try rig.volume.write(
                content, to: "top/inner/\(protectionClass)", class: protectionClass)
        }
        try rig.volume.link("top/none", to: "top/inner/again")
        try rig.volume.write([1], to: "outside", class: ProtectionClass.none)
        try rig.volume.makeFolder("elsewhere", class: .complete)
        try rig.volume.makeSymbolicLink("top/outside", target: "/outside")
        try rig.volume.makeSymbolicLink("top/elsewhere", target: "/elsewhere")
        try rig.volume.makeNode("top/pipe", .fifo, mode: 0o600)
        return rig
    }

    private static func checkContent(_ rig: VolumeRig) throws {
        for protectionClass in ProtectionClass.allCases {
            let content = pattern(5000, seed: UInt64(protectionClass.rawValue))
            for folder in ["top", "top/inner"] {
                #expect(try rig.volume.read("\(folder)/\(protectionClass)") == content)
            }
        }
        #expect(
            try rig.volume.attributes(of: "top/none").identity
                == rig.volume.attributes(of: "top/inner/again").identity)
    }

    @Test(arguments: RigStore.allCases)
    func `reaches every file below once, and nothing else`(store: RigStore) throws {
        let rig = try Self.tree(store)
        var items: [ClassChangeItem] = []
        let survey = try rig.volume.changeClasses(in: "top", ClassChange(.keep)) {
            items.append($0)
        }
        #expect(
            survey.before == [
                .complete: 2, .completeUnlessOpen: 2, .completeUntilFirstUserAuthentication: 2,
                .none: 2,
            ])
        #expect(survey.after == survey.before && survey.unchangedCount == 10 && items.count == 10)
        #expect(items.prefix(1).map(\.path) == ["top"])

        let change = ClassChange(.protectionClass(.complete))
        let report = try rig.volume.changeClasses(in: "/top/", change)
        #expect(report.before == survey.before && report.after == [.complete: 8])
        #expect(report.changedFileCount == 6 && report.changedFolderCount == 2)
        #expect(report.unchangedCount == 2 && report.failedCount == 0)
        #expect(try rig.volume.protectionClass(of: "top/inner/again") == .complete)
        #expect(try rig.volume.protectionClass(of: "outside") == ProtectionClass.none)
        #expect(try rig.volume.protectionClass(of: "elsewhere") == .complete)
        try rig.volume.write([1], to: "top/inner/new")
        #expect(try rig.volume.protectionClass(of: "top/inner/new") == .complete)
        let again = try rig.volume.changeClasses(in: "top", change)
        #expect(again.changedFileCount == 0 && again.unchangedCount == 11)

        let back = try rig.volume.changeClasses(in: "top", ClassChange(.volumeDefault))
        #expect(back.after == [.completeUntilFirstUserAuthentication: 9])
        #expect(try rig.volume.protectionClass(of: "top/inner") == nil)
        try rig.reopen()
        try Self.checkContent(rig)
        #expect(try rig.volume.verify().isWhole)
    }

    @Test func `is told where a path leads through a link, and refused where nothing has a class`()
        throws
    {
        let rig = try Self.tree(.memory)
        let change = ClassChange(.protectionClass(.completeUnlessOpen))
        #expect(try rig.volume.changeClasses(in: "top/outside", change).changedFileCount == 1)
        #expect(try rig.volume.protectionClass(of: "outside") == .completeUnlessOpen)
        #expect(try rig.volume.changeClasses(in: "top/elsewhere", change).changedFolderCount == 1)
        #expect(
            refusal { _ = try rig.volume.changeClasses(in: "top/pipe", change) } == .invalidArgument
        )
        #expect(
            refusal { _ = try rig.volume.changeClasses(in: "top/none/x", change) } == .notFolder)
        #expect(refusal { _ = try rig.volume.changeClasses(in: "nothing", change) } == .missing)
    }

    @Test func `writes all afresh but a file with several names, which it names`() throws {
        let rig = try Self.tree(.folder)
        var failures: [String] = []
        let change = ClassChange(.keep, isReencrypting: true)
        let report = try rig.volume.changeClasses(in: "", change) { item in
            guard case .failed(let error) = item.outcome else { return }
            #expect(error.code == .notSupported && error.message.hasPrefix("it has 2 names"))
            failures.append(item.path)
        }
        // One of its names: it is one file.
        #expect(failures == ["top/none"] && report.failedCount == 1)
        #expect(report.changedFileCount == 8 && report.before == report.after)
        try Self.checkContent(rig)
    }

    @Test func `does what the lock state allows, and says what it does not`() throws {
        let rig = try Self.tree(.memory)
        rig.volume.lock()
        let change = ClassChange(.protectionClass(.completeUnlessOpen))
        let report = try rig.volume.changeClasses(in: "top", change)
        // Of class complete none, of completeUnlessOpen all already.
        #expect(report.failedCount == 2 && report.changedFileCount == 4)
        #expect(report.after == [.complete: 2, .completeUnlessOpen: 6])
        try rig.unlock()
        let rest = try rig.volume.changeClasses(in: "top", change)
        #expect(rest.changedFileCount == 2 && rest.failedCount == 0)
        try Self.checkContent(rig)
    }

    @Test(arguments: [false, true])
    func `that is broken off anywhere is finished by the next one`(isReencrypting: Bool) throws {
        let target = ClassChange.Target.protectionClass(.complete)
        let change = ClassChange(target, isReencrypting: isReencrypting)
        for step in 1...10 {
            let rig = try Self.tree(.memory)
            var count = 0
            let volume = rig.volume
            let found = refusal {
                _ = try volume.changeClasses(in: "top", change) { _ in
                    count += 1
                    if count == step { try? volume.close() }
                }
            }
            #expect(found == (step < 10 ? .closed : nil))
            try rig.reopen()
            let rest = try rig.volume.changeClasses(in: "top", ClassChange(target))
            #expect(rest.after == [.complete: 8] && rest.failedCount == 0)
            try Self.checkContent(rig)
            #expect(try rig.volume.verify().isWhole)
            #expect(try rig.volume.verify().leftoverCount == 0)
        }
    }
}
