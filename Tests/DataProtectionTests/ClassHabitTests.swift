import DataProtection
import Testing

/// How classes fare under the habits of programs, on whole volumes.
@Suite struct `The class of a file` {
    @Test(arguments: RuleSet.allCases)
    func `stays through renames, whatever the folder gives`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        try rig.volume.makeFolder("strong", class: .complete)
        try rig.volume.makeFolder("weak", class: ProtectionClass.none)
        try rig.volume.write([1], to: "weak/f")
        try rig.volume.write([2], to: "strong/g")
        try rig.volume.rename("weak/f", to: "strong/f")
        try rig.volume.rename("strong/g", to: "weak/g")
        #expect(try rig.volume.protectionClass(of: "strong/f") == ProtectionClass.none)
        #expect(try rig.volume.protectionClass(of: "weak/g") == .complete)
        #expect(try rig.volume.read("strong/f") == [1])
        // A folder takes its children along, and gives what it gave.
        try rig.volume.rename("weak", to: "strong/weak")
        try rig.volume.write([3], to: "strong/weak/new")
        #expect(try rig.volume.protectionClass(of: "strong/weak/new") == ProtectionClass.none)
        #expect(try rig.volume.read("strong/weak/g") == [2])
    }

    @Test(arguments: RuleSet.allCases)
    func `is what the rules say after a rename over another`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        for replaced in ProtectionClass.allCases {
            for source in ProtectionClass.allCases {
                try rig.volume.write([1], to: "target", class: replaced)
                try rig.volume.write([2], to: "source", class: source)
                try rig.volume.rename("source", to: "target")
                let expected = rules.classAfterReplacing(replaced, with: source)
                #expect(try rig.volume.protectionClass(of: "target") == expected)
                #expect(try rig.volume.read("target") == [2])
                #expect(try rig.volume.list().map(\.name) == ["target"])
            }
        }
        // What was wrapped anew is durable, and opens under its new class alone.
        try rig.volume.write([1], to: "target", class: .complete)
        try rig.volume.write([2], to: "source", class: ProtectionClass.none)
        try rig.volume.rename("source", to: "target")
        try rig.reboot()
        #expect(refusal { _ = try rig.volume.read("target") } == (rules == .safer ? .sealed : nil))
    }

    @Test func `follows another list of companions when one is given`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "x", class: .complete)
        try rig.volume.write([1], to: "x.part")
        #expect(
            try rig.volume.protectionClass(of: "x.part") == .completeUntilFirstUserAuthentication)
        rig.volume.companionNames.frames.append(.init(start: "", end: ".tmp"))
        try rig.volume.write([1], to: "x.tmp")
        try rig.volume.write([1], to: "x-wal")
        #expect(try rig.volume.protectionClass(of: "x.tmp") == .complete)
        #expect(try rig.volume.protectionClass(of: "x-wal") == .complete)
        rig.volume.companionNames = CompanionNames(frames: [])
        try rig.volume.write([1], to: "x-journal")
        #expect(
            try rig.volume.protectionClass(of: "x-journal")
                == .completeUntilFirstUserAuthentication)
    }

    @Test func `cannot be raised by a rename whose key is not there`() throws {
        let needs: [(ProtectionClass, ProtectionClass, LockState)] = [
            (.complete, .none, .locked), (.complete, .completeUnlessOpen, .locked),
            (.complete, .completeUntilFirstUserAuthentication, .locked),
            (.completeUntilFirstUserAuthentication, .none, .beforeFirstUnlock),
            (.completeUnlessOpen, .completeUntilFirstUserAuthentication, .beforeFirstUnlock),
        ]
        for (replaced, source, state) in needs {
            let rig = try VolumeRig()
            try rig.volume.write([1], to: "target", class: replaced)
            try rig.volume.write([2], to: "source", class: source)
            try rig.enter(state)
            #expect(refusal { try rig.volume.rename("source", to: "target") } == .sealed)
            #expect(try rig.volume.protectionClass(of: "source") == source)
            try rig.unlock()
            #expect(try rig.volume.read("target") == [1])
            #expect(try rig.volume.read("source") == [2])
        }
    }

    @Test(arguments: RuleSet.allCases)
    func `does not change by a rename over a weaker one while locked`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        try rig.volume.write([1], to: "target", class: ProtectionClass.none)
        try rig.volume.write([2], to: "source", class: .complete)
        rig.volume.lock()
        try rig.volume.rename("source", to: "target")
        #expect(try rig.volume.protectionClass(of: "target") == .complete)
        try rig.unlock()
        #expect(try rig.volume.read("target") == [2])
    }

    @Test(arguments: RuleSet.allCases)
    func `survives how editors save`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        let kept: ProtectionClass =
            rules == .safer ? .complete : .completeUntilFirstUserAuthentication
        func make(_ name: String) throws -> ProtectionClass? {
            try rig.volume.openFile(name, [.write, .create]).close()
            return try rig.volume.protectionClass(of: name)
        }
        try rig.volume.write([1], to: "vim", class: .complete)
        try rig.volume.rename("vim", to: "vim~")
        #expect(try make("vim") == kept)
        try rig.volume.write([1], to: "gone", class: .complete)
        try rig.volume.removeFile("gone")
        #expect(try make("gone") == kept)
        // Long after the rename, as after a restart, the backup still tells.
        try rig.volume.write([1], to: "late", class: .complete)
        try rig.volume.rename("late", to: "late~")
        try rig.reopen()
        #expect(try make("late") == kept)
        #expect(try make("other") == .completeUntilFirstUserAuthentication)
        try rig.volume.write([1], to: "atomic", class: .complete)
        try rig.volume.write([2], to: "atomic")
        #expect(try rig.volume.protectionClass(of: "atomic") == kept)
        try rig.volume.write([3], to: "atomic", class: ProtectionClass.none)
        #expect(try rig.volume.protectionClass(of: "atomic") == ProtectionClass.none)
        try rig.volume.write([1], to: "gnome", class: .complete)
        try rig.volume.write([2], to: ".goutputstream-4XU2Z1")
        try rig.volume.rename(".goutputstream-4XU2Z1", to: "gnome")
        #expect(try rig.volume.protectionClass(of: "gnome") == kept)
    }

    @Test(arguments: RuleSet.allCases)
    func `passes to the files beside it`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        try rig.volume.write([1], to: "db", class: .complete)
        try rig.volume.makeFolder("strong", class: .complete)
        let kept: ProtectionClass =
            rules == .safer ? .complete : .completeUntilFirstUserAuthentication
        for name in ["db-wal", "db-journal", "db~", ".db.swp", ".#db"] {
            try rig.volume.openFile(name, [.write, .create]).close()
            #expect(try rig.volume.protectionClass(of: name) == kept, "\(name)")
        }
        try rig.volume.openFile("none-wal", [.write, .create]).close()
        #expect(
            try rig.volume.protectionClass(of: "none-wal") == .completeUntilFirstUserAuthentication)
        try rig.volume.openFile("strong/db-shm", [.write, .create]).close()
        #expect(
            try rig.volume.protectionClass(of: "strong/db-shm")
                == (rules == .safer ? .completeUntilFirstUserAuthentication : .complete))
    }

    @Test func `is inherited by folders, and by files that nobody speaks for`() throws {
        let rig = try VolumeRig(defaultClass: .completeUnlessOpen)
        try rig.volume.makeFolder("plain")
        try rig.volume.makeFolder("a", class: .complete)
        try rig.volume.makeFolder("a/b")
        try rig.volume.makeFolder("a/d", class: ProtectionClass.none)
        for (path, expected) in [
            ("x", ProtectionClass.completeUnlessOpen), ("plain/x", .completeUnlessOpen),
            ("a/b/x", .complete), ("a/d/x", .none),
        ] {
            try rig.volume.write([1], to: path)
            #expect(try rig.volume.protectionClass(of: path) == expected, "\(path)")
        }
        try rig.volume.setProtectionClass(ProtectionClass.none, of: "")
        try rig.volume.write([1], to: "y")
        #expect(try rig.volume.protectionClass(of: "y") == ProtectionClass.none)
        #expect(try rig.volume.protectionClass(of: "x") == .completeUnlessOpen)
        try rig.volume.setProtectionClass(nil, of: "")
        try rig.reopen()
        try rig.volume.write([1], to: "z")
        #expect(try rig.volume.protectionClass(of: "z") == .completeUnlessOpen)
    }

    @Test(arguments: RuleSet.allCases)
    func `lets an atomic save replace what it cannot read`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        try rig.volume.makeFolder("a", class: .complete)
        try rig.volume.makeFolder("b", class: .completeUnlessOpen)
        try rig.volume.write([1], to: "a/f")
        try rig.volume.write([1], to: "b/f")
        try rig.volume.write([1], to: "b/a", class: .complete)
        rig.volume.lock()
        #expect(refusal { try rig.volume.write([2], to: "a/f") } == .sealed)
        try rig.volume.write([2], to: "b/f")
        #expect(
            refusal { try rig.volume.write([2], to: "b/a") } == (rules == .safer ? .sealed : nil))
        try rig.unlock()
        #expect(try rig.volume.read("a/f") == [1])
        #expect(try rig.volume.read("b/f") == [2])
        #expect(try rig.volume.read("b/a") == (rules == .safer ? [1] : [2]))
        #expect(try rig.volume.list("a").count == 1)
    }
}
