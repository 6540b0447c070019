import DataProtection
import Testing

/// What every store does with an entry of several names.
@Suite(.scratchFolder) struct `Every store makes links` {
    /// A file "f" of one page, a folder "d" and a store around them.
    private func makeTree(_ kind: StoreKind) throws -> any BackingFolder {
        let root = try kind.make().root
        try root.createFile("f", mode: 0o600).write(page(1))
        try root.makeFolder("d", mode: 0o700)
        return root
    }

    private func linkCount(_ folder: any BackingFolder, _ name: String) throws -> UInt64 {
        try folder.attributes(of: name).linkCount
    }

    @Test(arguments: StoreKind.allCases)
    func `all names are one file`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        let folder = try root.openFolder("d")
        try root.makeLink(of: "f", in: root, as: "g")
        try root.makeLink(of: "g", in: folder, as: "h")
        try folder.makeLink(of: "h", in: root, as: "i")
        let identity = try root.attributes(of: "f").identity
        for (place, name) in [(root, "f"), (root, "g"), (folder, "h"), (root, "i")] {
            #expect(try place.attributes(of: name).identity == identity)
            #expect(try linkCount(place, name) == 4)
        }
        try folder.openFile("h", writable: true).write(page(2))
        try root.setMode(0o640, of: "g")
        #expect(try root.allBytes(of: "i") == page(2))
        #expect(try root.attributes(of: "f").mode == 0o640)
        #expect(
            try folder.list() == [HostEntry(name: "h", kind: .regular)])
    }

    @Test(arguments: StoreKind.allCases)
    func `the file lives while a name or a handle is there`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        try root.makeLink(of: "f", in: root, as: "g")
        let file = try root.openFile("f", writable: true)
        try root.removeFile("f")
        #expect(try file.attributes().linkCount == 1)
        #expect(try root.allBytes(of: "g") == page(1))
        try root.makeLink(of: "g", in: root, as: "f")
        try root.removeFile("g")
        #expect(try linkCount(root, "f") == 1)
        try root.removeFile("f")
        #expect(try file.attributes().linkCount == 0)
        #expect(try file.allBytes() == page(1))
        #expect(try root.names() == ["d"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a rename onto another name of the same file does nothing`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        try root.makeLink(of: "f", in: root, as: "g")
        try root.rename("f", to: root, as: "g", rule: .replace)
        try root.rename("f", to: root, as: "g", rule: .exchange)
        #expect(
            code { try root.rename("f", to: root, as: "g", rule: .exclusive) }
                == HostError.entryExists)
        #expect(try root.names() == ["d", "f", "g"])
        #expect(try linkCount(root, "f") == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a rename moves one name, and takes one from what it replaces`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        let folder = try root.openFolder("d")
        try root.makeLink(of: "f", in: root, as: "g")
        try root.createFile("new", mode: 0o600).write(page(3))
        try root.rename("new", to: root, as: "f", rule: .replace)
        #expect(try root.allBytes(of: "f") == page(3))
        #expect(try root.allBytes(of: "g") == page(1))
        #expect(try linkCount(root, "f") == 1)
        #expect(try linkCount(root, "g") == 1)
        try root.makeLink(of: "g", in: folder, as: "h")
        try root.rename("g", to: folder, as: "i", rule: .exclusive)
        #expect(try folder.names() == ["h", "i"])
        #expect(try linkCount(folder, "h") == 2)
        try folder.rename("h", to: root, as: "f", rule: .exchange)
        #expect(try linkCount(root, "f") == 2)
        #expect(try linkCount(folder, "h") == 1)
        #expect(try folder.allBytes(of: "h") == page(3))
    }

    @Test(arguments: StoreKind.allCases)
    func `a symbolic link and a fifo can have two names too`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        try root.makeSymlink("s", target: "f")
        try root.makeNode("p", kind: .fifo, mode: 0o600, device: 0)
        try root.makeLink(of: "s", in: root, as: "s2")
        try root.makeLink(of: "p", in: root, as: "p2")
        #expect(try root.attributes(of: "s2").kind == .symlink)
        #expect(try root.readSymlink("s2") == "f")
        #expect(try linkCount(root, "s") == 2)
        #expect(try root.attributes(of: "p2").kind == .fifo)
        #expect(try linkCount(root, "p") == 2)
        #expect(try linkCount(root, "f") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `it touches the change time of the file, and the folder's times`(_ kind: StoreKind) throws
    {
        let root = try makeTree(kind)
        let old = HostAttributeChange(
            accessTime: .time(HostTime(1)), modificationTime: .time(HostTime(2)))
        try root.setAttributes(old, of: "f")
        try root.setAttributes(old, of: "d")
        let before = try root.attributes(of: "f")
        try root.makeLink(of: "f", in: root.openFolder("d"), as: "g")
        let after = try root.attributes(of: "f")
        #expect(after.accessTime == HostTime(1))
        #expect(after.modificationTime == HostTime(2))
        #expect(after.changeTime >= before.changeTime)
        #expect(try root.attributes(of: "d").modificationTime > HostTime(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `what cannot be is refused with the kernel's number`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        try root.makeFolder("gone", mode: 0o700)
        let gone = try root.openFolder("gone")
        try root.removeFolder("gone")
        func attempt(
            _ name: String, _ source: any BackingFolder, _ target: any BackingFolder,
            _ newName: String
        ) -> Int32? {
            code { try source.makeLink(of: name, in: target, as: newName) }
        }
        #expect(attempt("x", root, root, "y") == HostError.noSuchEntry)
        #expect(attempt("x", root, root, "f") == HostError.noSuchEntry)
        #expect(attempt("f", root, root, "f") == HostError.entryExists)
        #expect(attempt("f", root, root, "d") == HostError.entryExists)
        #expect(attempt("d", root, root, "f") == HostError.entryExists)
        #expect(attempt("d", root, root, "e") == HostError.notPermitted)
        #expect(attempt("f", root, gone, "g") == HostError.noSuchEntry)
        #expect(attempt("f", gone, root, "g") == HostError.noSuchEntry)
        #expect(attempt("f", root, MemoryStore().root, "g") == HostError.crossDevice)
        #expect(attempt("..", root, root, "g") == HostError.invalidArgument)
        #expect(attempt("f", root, root, "a/b") == HostError.invalidArgument)
        #expect(
            attempt("f", root, root, String(repeating: "x", count: 256)) == HostError.nameTooLong)
        #expect(try root.names() == ["d", "f"])
        #expect(try linkCount(root, "f") == 1)
    }
}
