import DataProtection
import Testing

/// Renames that must not replace, or that change places.
@Suite struct `A rename` {
    @Test(arguments: RigStore.allCases)
    func `that is exclusive replaces nothing`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let long = String(repeating: "l", count: 200)
        try rig.volume.write([1], to: "a")
        for name in ["b", long] {
            try rig.volume.write([2], to: name)
            #expect(refusal { try rig.volume.rename("a", to: name, rule: .exclusive) } == .exists)
            #expect(try rig.volume.read(name) == [2])
            try rig.volume.removeFile(name)
            try rig.volume.rename("a", to: name, rule: .exclusive)
            try rig.volume.rename(name, to: "a", rule: .exclusive)
        }
        try rig.volume.makeFolder("folder")
        #expect(refusal { try rig.volume.rename("a", to: "folder", rule: .exclusive) } == .exists)
        #expect(
            refusal { try rig.volume.write([5], to: "a", rule: .exclusive) } == .exists)
        try rig.volume.write([5], to: "new", rule: .exclusive)
        #expect(try rig.volume.read("a") == [1])
    }

    @Test(arguments: RigStore.allCases)
    func `that exchanges lets both change places`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let long = String(repeating: "l", count: 200)
        try rig.volume.makeFolder("x")
        try rig.volume.makeFolder("x/y")
        try rig.volume.write([1], to: "x/y/f")
        try rig.volume.write([2], to: long)
        try rig.volume.rename("x/y", to: long, rule: .exchange)
        #expect(try rig.volume.read(long + "/f") == [1])
        #expect(try rig.volume.read("x/y") == [2])
        #expect(try rig.volume.list().map(\.name) == [long, "x"])
        try rig.reopen()
        #expect(try rig.volume.read(long + "/f") == [1])
        #expect(refusal { try rig.volume.rename("x", to: "none", rule: .exchange) } == .missing)
        #expect(
            refusal { try rig.volume.rename(long, to: long + "/f", rule: .exchange) }
                == .invalidArgument)
        #expect(refusal { try rig.volume.rename("x", to: "x/z") } == .invalidArgument)
        #expect(try rig.volume.verify().leftoverCount == 0)
    }

    @Test(arguments: RuleSet.allCases)
    func `that exchanges files raises both, with the rules safer`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        for one in ProtectionClass.allCases {
            for other in ProtectionClass.allCases {
                try rig.volume.write([1], to: "one", class: one)
                try rig.volume.write([2], to: "other", class: other)
                try rig.volume.rename("one", to: "other", rule: .exchange)
                let stronger = one.isStricter(than: other) ? one : other
                #expect(try rig.volume.read("other") == [1])
                #expect(try rig.volume.read("one") == [2])
                let (first, second) = rules == .safer ? (stronger, stronger) : (one, other)
                #expect(try rig.volume.protectionClass(of: "other") == first)
                #expect(try rig.volume.protectionClass(of: "one") == second)
            }
        }
        try rig.volume.write([1], to: "one", class: .complete)
        try rig.volume.write([2], to: "other", class: ProtectionClass.none)
        rig.volume.lock()
        let code = refusal { try rig.volume.rename("one", to: "other", rule: .exchange) }
        #expect(code == (rules == .safer ? .sealed : nil))
    }

    @Test(arguments: RigStore.allCases)
    func `of a folder takes the place of an empty one`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        for name in ["from", "to", "full"] { try rig.volume.makeFolder(name) }
        try rig.volume.write([1], to: "from/f")
        try rig.volume.write([2], to: "full/f")
        #expect(refusal { try rig.volume.rename("from", to: "full") } == .notEmpty)
        try rig.volume.rename("from", to: "to")
        #expect(try rig.volume.list().map(\.name) == ["full", "to"])
        #expect(try rig.volume.read("to/f") == [1])
        try rig.volume.write([3], to: "file")
        #expect(refusal { try rig.volume.rename("file", to: "to") } == .isFolder)
        #expect(refusal { try rig.volume.rename("to", to: "file") } == .notFolder)
        #expect(refusal { try rig.volume.rename("to", to: "to") } == nil)
        #expect(refusal { try rig.volume.rename("", to: "x") } == .invalidArgument)
        #expect(refusal { try rig.volume.rename("to", to: "") } == .invalidArgument)
        #expect(try rig.volume.verify().leftoverCount == 0)
    }

    @Test(arguments: RigStore.allCases)
    func `onto another name of the same file does nothing`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "a")
        try rig.volume.link("a", to: "b")
        try rig.volume.rename("a", to: "b")
        #expect(try rig.volume.list().map(\.name) == ["a", "b"])
    }
}
