import DataProtection
import SimulatedDevice
import TestSupport
import Testing

/// Power cuts and what the journal keeps beside the bytes of files: links, nodes, attributes.
@Suite struct `A power cut and links and attributes` {
    private func all<Value: Hashable>(
        _ store: CrashingStore, _ describe: (any BackingFolder) throws -> Value
    ) throws -> Set<Value> {
        let cuts = store.possibleCuts()
        return Set(
            try (0..<cuts.count).map { try describe(store.cut(.numbered($0)).root) })
    }

    /// The entries of a folder, each with how many names its inode has.
    private func linkCounts(_ folder: any BackingFolder) throws -> String {
        try folder.names().map { "\($0)\(try folder.attributes(of: $0).linkCount)" }.joined()
    }

    private func makeStore(_ rule: CommitRule = .wholeJournal) throws -> CrashingStore {
        let store = CrashingStore(commitRule: rule)
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(page(1))
        try file.sync(everything: true)
        try store.root.sync()
        return store
    }

    @Test func `a link is lost or kept, and counts right`() throws {
        let store = try makeStore()
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        #expect(try all(store, linkCounts) == ["f1", "f2g2"])
        try store.root.makeLink(of: "g", in: store.root, as: "h")
        #expect(try all(store, linkCounts) == ["f1", "f2g2", "f3g3h3"])
        try store.root.sync()
        #expect(try all(store, linkCounts) == ["f3g3h3"])
    }

    @Test func `removing one name leaves the file to the others`() throws {
        let store = try makeStore()
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        try store.root.removeFile("f")
        #expect(try all(store, linkCounts) == ["f1", "f2g2", "g1"])
        let bytes = try all(store) { root in
            try root.names().map { try root.allBytes(of: $0) }
        }
        #expect(bytes == [[page(1)], [page(1), page(1)]])
        try store.root.openFile("g", writable: true).write(page(2))
        try store.root.removeFile("g")
        #expect(try all(store, linkCounts) == ["f1", "f2g2", "g1", ""])
        try store.root.sync()
        #expect(try all(store, linkCounts) == [""])
        // Nothing of it is left, and nothing is to be decided about it.
        #expect(store.possibleCuts().count == 1)
        #expect(store.possibleCuts().image(.everything).nodes.count == 1)
    }

    @Test func `a link that is made and removed again leaves the file`() throws {
        let store = try makeStore()
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        try store.root.removeFile("g")
        try store.root.removeFile("f")
        #expect(try all(store, linkCounts) == ["f1", "f2g2", ""])
    }

    @Test func `a rename takes one name from what it replaces`() throws {
        let store = try makeStore()
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        _ = try store.root.createFile("n", mode: 0o600)
        try store.root.sync()
        try store.root.rename("n", to: store.root, as: "f", rule: .replace)
        #expect(try all(store, linkCounts) == ["f2g2n1", "f1g1"])
        try store.root.rename("f", to: store.root, as: "g", rule: .exchange)
        #expect(
            try all(store) { root in
                try linkCounts(root) + (root.allBytes(of: "g") == page(1) ? "old" : "new")
            } == ["f2g2n1old", "f1g1old", "f1g1new"])
    }

    @Test func `pages belong to the file, under whichever name it is left`() throws {
        let store = try makeStore()
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        try store.root.openFile("g", writable: true).write(page(2))
        try store.root.removeFile("f")
        let left = try all(store) { root in
            try root.names().map { "\($0)\(try root.allBytes(of: $0)[0])" }.joined()
        }
        #expect(left == ["f1", "f2", "f1g1", "f2g2", "g1", "g2"])
    }

    @Test func `where syncs promise less, only the folder's keeps a link`() throws {
        let store = try makeStore(.onlyTheSynced)
        try store.root.makeFolder("d", mode: 0o700)
        let folder = try store.root.openFolder("d")
        try store.root.sync()
        try store.root.makeLink(of: "f", in: folder, as: "g")
        try store.root.openFile("f", writable: true).sync(everything: true)
        try store.root.sync()
        #expect(try store.cut(.nothingUnsynced).root.openFolder("d").names() == [])
        try folder.sync()
        #expect(try store.cut(.nothingUnsynced).root.openFolder("d").names() == ["g"])
        #expect(try store.cut(.nothingUnsynced).root.attributes(of: "f").linkCount == 2)
    }

    @Test func `a node is lost or kept, with all about it`() throws {
        let store = CrashingStore()
        try store.root.makeNode("n", kind: .blockDevice, mode: 0o640, device: 0x1234)
        try store.root.setAttributes(
            HostAttributeChange(owner: 7, group: 8, modificationTime: .time(HostTime(9))), of: "n")
        let left = try all(store) { root in
            try root.names().map { name in
                let node = try root.attributes(of: name)
                #expect(node.kind == .blockDevice && node.deviceNumber == 0x1234)
                #expect(node.mode == 0o640)
                return node.owner == 7 && node.group == 8 && node.modificationTime == HostTime(9)
            }
        }
        #expect(left == [[], [false], [true]])
    }

    @Test(arguments: [false, true])
    func `attributes are lost or kept in their order`(_ ofFolder: Bool) throws {
        let store = try makeStore()
        try store.root.makeFolder("d", mode: 0o700)
        try store.root.sync()
        let name = ofFolder ? "d" : "f"
        let attributes: any BackingAttributes =
            ofFolder
            ? try store.root.openFolder("d").userAttributes
            : try store.root.openFile("f", writable: false).userAttributes
        try attributes.set("user.a", to: [1], rule: .create)
        try store.root.setAttributes(
            HostAttributeChange(mode: 0o751, accessTime: .time(HostTime(5, 6))), of: name)
        try attributes.set("user.a", to: [2], rule: .replace)
        try attributes.remove("user.a")
        let left = try all(store) { root in
            let left: any BackingAttributes =
                ofFolder
                ? try root.openFolder("d").userAttributes
                : try root.openFile("f", writable: false).userAttributes
            let status = try root.attributes(of: name)
            #expect((status.mode == 0o751) == (status.accessTime == HostTime(5, 6)))
            return "\(try left.value(of: "user.a") ?? []) \(status.mode == 0o751)"
        }
        #expect(left == ["[] false", "[1] false", "[1] true", "[2] true", "[] true"])
    }

    @Test func `where syncs promise less, only a whole sync of the file keeps its attributes`()
        throws
    {
        let store = try makeStore(.onlyTheSynced)
        let file = try store.root.openFile("f", writable: true)
        try file.userAttributes.set("user.a", to: [1], rule: .set)
        try file.setAttributes(HostAttributeChange(mode: 0o640))
        func kept() throws -> String {
            let root = store.cut(.nothingUnsynced).root
            let value = try root.openFile("f", writable: false).userAttributes.value(of: "user.a")
            return "\(value ?? []) \(String(try root.attributes(of: "f").mode, radix: 8))"
        }
        try file.sync(everything: false)
        try store.root.sync()
        #expect(try kept() == "[] 600")
        try file.sync(everything: true)
        #expect(try kept() == "[1] 640")
        try file.userAttributes.remove("user.a")
        #expect(try kept() == "[1] 640")
        try file.sync(everything: true)
        #expect(try kept() == "[] 640")
    }

    @Test func `a change of what has no name any more is not missed`() throws {
        let store = try makeStore()
        let file = try store.root.openFile("f", writable: true)
        try store.root.removeFile("f")
        try file.setAttributes(HostAttributeChange(mode: 0o640))
        try file.userAttributes.set("user.a", to: [1], rule: .set)
        try file.punchHole(0..<4096)
        #expect(try all(store, linkCounts) == ["f1", ""])
        #expect(try store.cut(.nothingUnsynced).root.allBytes(of: "f") == page(1))
    }
}
