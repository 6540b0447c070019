import DataProtection
import Testing

/// Names that a file had until a moment ago, and names that lead to a file.
@Suite struct `A name with a past` {
    private func rig(_ rules: RuleSet) throws -> (VolumeRig, ProtectionClass) {
        (
            try VolumeRig(rules: rules),
            rules == .safer ? .complete : .completeUntilFirstUserAuthentication
        )
    }

    @Test(arguments: RuleSet.allCases)
    func `that was freed a moment ago gives its class to what gets it`(rules: RuleSet) throws {
        let (rig, kept) = try rig(rules)
        for isLinked in [false, true] {
            for isRemoved in [false, true] {
                try rig.volume.write([1], to: "x", class: .complete)
                try rig.volume.write([2], to: "new")
                if isRemoved {
                    try rig.volume.removeFile("x")
                } else {
                    try rig.volume.rename("x", to: "old")
                }
                if isLinked {
                    try rig.volume.link("new", to: "x")
                    try rig.volume.removeFile("new")
                } else {
                    try rig.volume.rename("new", to: "x")
                }
                #expect(try rig.volume.protectionClass(of: "x") == kept)
                #expect(try rig.volume.read("x") == [2])
                try rig.volume.removeFile("x")
            }
        }
    }

    @Test func `whose backup is beside it gets that one's class, whenever`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "x", class: .complete)
        try rig.volume.rename("x", to: "x~")
        try rig.reopen()
        try rig.volume.write([2], to: "new")
        try rig.volume.rename("new", to: "x")
        #expect(try rig.volume.protectionClass(of: "x") == .complete)
    }

    @Test func `that is used for one file after another gives each what it asks for`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "strong", class: .complete)
        try rig.volume.write([1], to: "weak")
        for name in ["strong", "weak"] {
            try rig.volume.openFile("new", [.write, .create]).close()
            try rig.volume.rename("new", to: name)
        }
        #expect(try rig.volume.protectionClass(of: "strong") == .complete)
        #expect(
            try rig.volume.protectionClass(of: "weak") == .completeUntilFirstUserAuthentication)
    }

    @Test func `that a file gets back gives it nothing`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "x", class: .complete)
        try rig.volume.rename("x", to: "y")
        try rig.volume.setProtectionClass(ProtectionClass.none, of: "y")
        try rig.volume.rename("y", to: "x")
        #expect(try rig.volume.protectionClass(of: "x") == ProtectionClass.none)
    }

    @Test func `that needs a key which is not there is not given`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "x", class: .complete)
        try rig.volume.write([2], to: "new")
        rig.volume.lock()
        try rig.volume.removeFile("x")
        #expect(refusal { try rig.volume.rename("new", to: "x") } == .sealed)
        #expect(refusal { try rig.volume.link("new", to: "x") } == .sealed)
        #expect(try rig.volume.list().map(\.name) == ["new"])
        #expect(
            try rig.volume.protectionClass(of: "new") == .completeUntilFirstUserAuthentication)
    }

    @Test func `that is taken raises nothing when a link to it is refused`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "x", class: .complete)
        try rig.volume.write([2], to: "new", class: ProtectionClass.none)
        #expect(refusal { try rig.volume.link("new", to: "x") } == .exists)
        #expect(try rig.volume.protectionClass(of: "new") == ProtectionClass.none)
    }

    @Test(arguments: RuleSet.allCases)
    func `that is a link stands for the file it leads to`(rules: RuleSet) throws {
        let (rig, kept) = try rig(rules)
        try rig.volume.makeFolder("real")
        try rig.volume.makeFolder("in")
        try rig.volume.write([1], to: "real/y", class: .complete)
        try rig.volume.makeSymbolicLink("in/x", target: "../real/y")
        for name in ["in/x~", "in/x-wal", "in/.x.swp"] {
            try rig.volume.openFile(name, [.write, .create]).close()
            #expect(try rig.volume.protectionClass(of: name) == kept, "\(name)")
            try rig.volume.removeFile(name)
        }
        try rig.volume.write([2], to: "in/new")
        try rig.volume.rename("in/new", to: "in/x")
        #expect(try rig.volume.protectionClass(of: "in/x") == kept)
        // A link to nowhere, and one in a circle, stand for nothing.
        try rig.volume.makeSymbolicLink("in/nowhere", target: "none")
        try rig.volume.makeSymbolicLink("in/circle", target: "circle")
        for name in ["in/nowhere", "in/circle"] {
            try rig.volume.write([3], to: "in/new")
            try rig.volume.rename("in/new", to: name)
            #expect(
                try rig.volume.protectionClass(of: name) == .completeUntilFirstUserAuthentication)
        }
    }

    @Test func `that is a link is not free`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeSymbolicLink("link", target: "target")
        #expect(refusal { try rig.volume.write([1], to: "link", rule: .exclusive) } == .exists)
        #expect(try rig.volume.list().map(\.name) == ["link"])
    }

    @Test(arguments: [
        ("missing/../f", ProtectionError.Code.missing), ("f/../f", .notFolder),
        ("f/.", .notFolder), ("f/", .notFolder), ("d/../f", nil), ("./d/.././f", nil),
    ])
    func `before dots must be a folder's`(target: String, expected: ProtectionError.Code?) throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d")
        try rig.volume.write([1], to: "f")
        try rig.volume.makeSymbolicLink("link", target: target)
        #expect(refusal { _ = try rig.volume.read("link") } == expected)
    }
}
