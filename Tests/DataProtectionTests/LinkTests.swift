import DataProtection
import Testing

/// Second names, symbolic links, fifos, sockets and devices.
@Suite struct `A link` {
    @Test(arguments: RigStore.allCases) func `is a second name of one file`(store: RigStore) throws
    {
        let rig = try VolumeRig(store)
        let long = String(repeating: "l", count: 255)
        try rig.volume.makeFolder("strong", class: .complete)
        try rig.volume.write([1], to: "a", class: .completeUnlessOpen)
        for name in ["b", "strong/c", long] { try rig.volume.link("a", to: name) }
        let attributes = try rig.volume.attributes(of: "a")
        #expect(attributes.linkCount == 4)
        for name in ["b", "strong/c", long] {
            let found = try rig.volume.attributes(of: name)
            #expect(found.identity == attributes.identity)
            #expect(found.protectionClass == .completeUnlessOpen)
        }
        let file = try rig.volume.openFile("strong/c", .readWrite)
        try file.write([7, 8, 9], at: 0)
        #expect(try rig.volume.read(long) == [7, 8, 9])
        try rig.volume.setProtectionClass(.complete, of: "b")
        #expect(try rig.volume.protectionClass(of: "strong/c") == .complete)
        try rig.volume.removeFile("a")
        try rig.volume.removeFile(long)
        file.close()
        try rig.reopen()
        #expect(try rig.volume.read("b") == [7, 8, 9])
        #expect(try rig.volume.attributes(of: "strong/c").linkCount == 2)
    }

    @Test(arguments: [LockState.locked, .beforeFirstUnlock])
    func `can be made without the file's key`(state: LockState) throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "a", class: .complete)
        try rig.enter(state)
        try rig.volume.link("a", to: "b")
        try rig.volume.makeSymbolicLink("c", target: "a")
        try rig.volume.makeNode("d", .fifo, mode: 0o600)
        #expect(refusal { _ = try rig.volume.read("c") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("b") == [1])
        #expect(try rig.volume.read("c") == [1])
    }

    @Test(arguments: RigStore.allCases) func `is refused where it cannot be`(store: RigStore) throws
    {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "a")
        try rig.volume.makeFolder("folder")
        #expect(refusal { try rig.volume.link("folder", to: "b") } == .isFolder)
        #expect(refusal { try rig.volume.link("a", to: "folder") } == .exists)
        #expect(refusal { try rig.volume.link("a", to: "a") } == .exists)
        #expect(refusal { try rig.volume.link("none", to: "b") } == .missing)
        #expect(refusal { try rig.volume.link("a", to: "none/b") } == .missing)
        #expect(try rig.volume.attributes(of: "a").linkCount == 1)
        #expect(try rig.volume.list().map(\.name) == ["a", "folder"])
    }

    @Test(arguments: RigStore.allCases)
    func `that is symbolic leads to its target`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.makeFolder("x")
        try rig.volume.makeFolder("x/y")
        try rig.volume.write([1], to: "x/y/f")
        let targets = [
            ("x/y/f", "direct"), ("./x/../x/y/f", "dotted"), ("/x/y/f", "absolute"),
            ("../../x/y/f", "above"), ("direct", "chain"),
        ]
        for (target, name) in targets {
            try rig.volume.makeSymbolicLink(name, target: target)
            #expect(try rig.volume.symbolicLinkTarget(of: name) == target)
            #expect(try rig.volume.read(name) == [1], "\(target)")
            #expect(try rig.volume.resolvingLinks(name) == "x/y/f")
            let link = try rig.volume.attributes(of: name)
            #expect(link.kind == .symlink)
            #expect(link.size == Int64(target.utf8.count))
            #expect(link.protectionClass == nil)
            #expect(try rig.volume.attributes(of: name, followingLinks: true).kind == .file)
        }
        try rig.volume.makeSymbolicLink("folder", target: "x")
        try rig.volume.makeSymbolicLink("x/y/up", target: "../y")
        #expect(try rig.volume.read("folder/y/up/up/f") == [1])
        #expect(try rig.volume.list("folder").map(\.name) == ["y"])
        try rig.volume.write([2], to: "folder/y/g")
        #expect(try rig.volume.read("x/y/g") == [2])
        try rig.volume.setProtectionClass(.complete, of: "chain")
        #expect(try rig.volume.protectionClass(of: "x/y/f") == .complete)
    }

    @Test func `that leads nowhere is made good by creating, and refused when asked`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeSymbolicLink("link", target: "target")
        #expect(refusal { _ = try rig.volume.read("link") } == .missing)
        #expect(
            refusal { _ = try rig.volume.openFile("link", [.write, .create, .exclusive]) }
                == .exists)
        #expect(
            refusal { _ = try rig.volume.openFile("link", [.read, .noFollow]) } == .symbolicLink)
        try rig.volume.openFile("link", [.write, .create]).write([5], at: 0)
        #expect(try rig.volume.read("target") == [5])
        try rig.volume.write([6], to: "link")
        #expect(try rig.volume.symbolicLinkTarget(of: "link") == "target")
        #expect(try rig.volume.read("target") == [6])
        try rig.volume.rename("link", to: "moved")
        try rig.volume.removeFile("moved")
        #expect(try rig.volume.list().map(\.name) == ["target"])
    }

    @Test func `in a circle ends with an error`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeSymbolicLink("a", target: "b")
        try rig.volume.makeSymbolicLink("b", target: "a")
        try rig.volume.makeSymbolicLink("c", target: "c/d")
        for name in ["a", "b", "a/x", "c"] {
            #expect(refusal { _ = try rig.volume.read(name) } == .symbolicLink)
        }
        #expect(refusal { _ = try rig.volume.list("a") } == .symbolicLink)
        #expect(try rig.volume.attributes(of: "a").kind == .symlink)
    }

    @Test func `keeps its target from the host`() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.makeSymbolicLink("link", target: "canary-target")
        let entry = try #require(
            try rig.store.root.list().first { $0.kind == .symlink && !$0.name.hasPrefix(".") })
        let target = try rig.store.root.readSymlink(entry.name)
        #expect(!target.contains("canary"))
        // Another of the host's making is damage, and can be removed.
        try rig.store.root.removeFile(entry.name)
        try rig.store.root.makeSymlink(entry.name, target: "/etc/passwd")
        #expect(refusal { _ = try rig.volume.read("link") } == .damaged)
        #expect(refusal { _ = try rig.volume.symbolicLinkTarget(of: "link") } == .damaged)
        try rig.volume.removeFile("link")
        #expect(try rig.volume.list().isEmpty)
    }

    @Test(arguments: [(0, false), (1, true), (3031, true), (3032, false)])
    func `holds a target of the lengths that the host can`(count: Int, fits: Bool) throws {
        for store in RigStore.allCases {
            let rig = try VolumeRig(store)
            let target = String(repeating: "t", count: count)
            let code = refusal { try rig.volume.makeSymbolicLink("link", target: target) }
            #expect(code == (fits ? nil : .invalidName))
            if fits { #expect(try rig.volume.symbolicLinkTarget(of: "link") == target) }
        }
    }

    @Test(arguments: RigStore.allCases)
    func `or a node of any kind is listed, renamed and removed`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        for kind in [ItemKind.fifo, .socket] {
            try rig.volume.makeNode("node", kind, mode: 0o620)
            let attributes = try rig.volume.attributes(of: "node")
            #expect(attributes.kind == kind)
            #expect(attributes.mode == 0o620)
            #expect(try rig.volume.list().map(\.kind) == [kind])
            try rig.volume.setAttributes(AttributeChange(mode: 0o000), of: "node")
            #expect(try rig.volume.attributes(of: "node").mode == 0)
            #expect(refusal { _ = try rig.volume.openFile("node") } == .notSupported)
            #expect(refusal { try rig.volume.setProtectionClass(.complete, of: "node") } != nil)
            try rig.volume.rename("node", to: "other")
            try rig.volume.removeFile("other")
        }
        for kind in [ItemKind.file, .folder, .symlink] {
            #expect(refusal { try rig.volume.makeNode("x", kind, mode: 0o600) } == .invalidArgument)
        }
        #expect(try rig.volume.list().isEmpty)
    }

    @Test func `or a file without a name goes on working`() throws {
        for store in RigStore.allCases {
            let rig = try VolumeRig(store)
            let file = try rig.volume.openFile("a", [.read, .write, .create], class: .complete)
            try file.write(pattern(10_000), at: 0)
            try rig.volume.removeFile("a")
            #expect(try file.attributes().linkCount == 0)
            try file.write([1], at: 20_000)
            try file.setAttributes(AttributeChange(mode: 0o000))
            #expect(try file.attributes().mode == 0)
            rig.volume.lock()
            #expect(refusal { _ = try file.read(at: 0, count: 1) } == .sealed)
            try rig.unlock()
            #expect(try file.read(at: 0, count: 10_000) == pattern(10_000))
            #expect(file.size == 20_001)
            #expect(try rig.volume.list().isEmpty)
        }
    }
}
