import DataProtection
import Testing

/// What every store does with names.
@Suite(.scratchFolder) struct `Every store keeps names` {
    @Test(arguments: StoreKind.allCases)
    func `entries are made, listed and removed`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        // btrfs and some others do not count, and say 1.
        let countsFolders = try root.attributes().linkCount == 2
        _ = try root.createFile("file", mode: 0o644)
        try root.makeFolder("folder", mode: 0o755)
        try root.makeSymlink("link", target: "anywhere/else")
        let entries = try root.list().sorted { $0.name < $1.name }
        #expect(
            entries == [
                HostEntry(name: "file", kind: .regular), HostEntry(name: "folder", kind: .folder),
                HostEntry(name: "link", kind: .symlink),
            ])
        #expect(try root.readSymlink("link") == "anywhere/else")
        #expect(try root.attributes(of: "link").kind == .symlink)
        #expect(try root.attributes(of: "link").byteCount == 13)
        #expect(try root.attributes().linkCount == (countsFolders ? 3 : 1))
        try root.removeFile("file")
        try root.removeFile("link")
        try root.removeFolder("folder")
        #expect(try root.list() == [])
        #expect(try root.attributes().linkCount == (countsFolders ? 2 : 1))
    }

    @Test(arguments: StoreKind.allCases)
    func `a folder of a thousand files lists each once`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        let names = (0..<1000).map { "a-rather-long-name-for-a-file-\($0)" }
        for name in names { _ = try root.createFile(name, mode: 0o600) }
        #expect(try root.names() == names.sorted())
    }

    /// A file "file", a folder "folder" with a file in it, and a symbolic link "link".
    private func makeTree(_ kind: StoreKind) throws -> any BackingFolder {
        let root = try kind.make().root
        _ = try root.createFile("file", mode: 0o644)
        try root.makeFolder("folder", mode: 0o755)
        try root.makeSymlink("link", target: "file")
        _ = try root.openFolder("folder").createFile("inside", mode: 0o644)
        return root
    }

    @Test(arguments: StoreKind.allCases)
    func `what cannot be opened says why`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        for isWritable in [false, true] {
            let open = { (name: String) in
                code { _ = try root.openFile(name, writable: isWritable) }
            }
            #expect(open("x") == HostError.noSuchEntry)
            #expect(open("link") == HostError.symbolicLink)
            #expect(open("folder") == HostError.isFolder)
        }
        #expect(code { _ = try root.openFolder("file") } == HostError.notFolder)
        #expect(code { _ = try root.openFolder("link") } == HostError.notFolder)
        #expect(code { _ = try root.openFolder("x") } == HostError.noSuchEntry)
        #expect(code { _ = try root.readSymlink("file") } == HostError.invalidArgument)
        #expect(code { _ = try root.readSymlink("x") } == HostError.noSuchEntry)
    }

    @Test(arguments: StoreKind.allCases)
    func `what cannot be made, changed or removed says why`(_ kind: StoreKind) throws {
        let root = try makeTree(kind)
        #expect(code { _ = try root.createFile("file", mode: 0) } == HostError.entryExists)
        #expect(code { _ = try root.createFile("link", mode: 0) } == HostError.entryExists)
        #expect(code { try root.makeFolder("file", mode: 0) } == HostError.entryExists)
        #expect(code { try root.makeSymlink("link", target: "x") } == HostError.entryExists)
        #expect(code { try root.makeSymlink("l", target: "") } == HostError.noSuchEntry)
        #expect(code { try root.removeFile("folder") } == HostError.isFolder)
        #expect(code { try root.removeFile("x") } == HostError.noSuchEntry)
        #expect(code { try root.removeFolder("file") } == HostError.notFolder)
        #expect(code { try root.removeFolder("link") } == HostError.notFolder)
        #expect(code { try root.removeFolder("folder") } == HostError.notEmpty)
        #expect(code { try root.setMode(0o600, of: "x") } == HostError.noSuchEntry)
        #expect(code { try root.setMode(0o600, of: "link") } == HostError.notSupported)
        #expect(try root.names() == ["file", "folder", "link"])
    }

    @Test(arguments: StoreKind.allCases, ["", ".", "..", "a/b", "../a", "/a", "a\0b"])
    func `names that could lead elsewhere are refused`(_ kind: StoreKind, _ name: String) throws {
        let root = try kind.make().root
        let refused = HostError.invalidArgument
        #expect(code { _ = try root.createFile(name, mode: 0o600) } == refused)
        #expect(
            code { _ = try root.openFile(name, writable: false) } == refused
        )
        #expect(code { _ = try root.openFolder(name) } == refused)
        #expect(code { try root.makeFolder(name, mode: 0o700) } == refused)
        #expect(code { _ = try root.attributes(of: name) } == refused)
    }

    @Test(arguments: StoreKind.allCases)
    func `names may have 255 bytes and no more`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        let longest = String(repeating: "é", count: 127) + "x"
        #expect(longest.utf8.count == 255)
        _ = try root.createFile(longest, mode: 0o600)
        #expect(try root.names() == [longest])
        #expect(code { try root.makeFolder(longest + "x", mode: 0o700) } == HostError.nameTooLong)
    }

    @Test(arguments: StoreKind.allCases)
    func `names are bytes, and no form of Unicode is folded`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        try root.createFile("caf\u{E9}", mode: 0o600).write([1])
        try root.createFile("cafe\u{301}", mode: 0o600).write([2])
        #expect(try root.list().count == 2)
        #expect(try root.allBytes(of: "caf\u{E9}") == [1])
        #expect(try root.allBytes(of: "cafe\u{301}") == [2])
    }

    @Test(arguments: StoreKind.allCases, [UInt32(0o600), 0o644, 0o777, 0o1777, 0o4755, 0o000])
    func `modes are exactly as given`(_ kind: StoreKind, _ mode: UInt32) throws {
        let root = try kind.make().root
        _ = try root.createFile("file", mode: mode)
        try root.makeFolder("folder", mode: mode)
        #expect(try root.attributes(of: "file").mode == mode)
        #expect(try root.attributes(of: "folder").mode == mode)
        try root.setMode(0o640, of: "file")
        try root.setMode(0o750, of: "folder")
        #expect(try root.attributes(of: "file").mode == 0o640)
        #expect(try root.attributes(of: "folder").mode == 0o750)
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed folder that is open is empty and takes nothing`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        try root.makeFolder("folder", mode: 0o755)
        let folder = try root.openFolder("folder")
        try root.removeFolder("folder")
        #expect(try folder.list() == [])
        #expect(try folder.attributes().linkCount == 0)
        #expect(code { _ = try folder.createFile("f", mode: 0o600) } == HostError.noSuchEntry)
    }

    @Test(arguments: StoreKind.allCases)
    func `a store has one owner at a time`(_ kind: StoreKind) throws {
        let store = try kind.make().store
        try store.acquireOwnership()
        #expect(code { try store.acquireOwnership() } == HostError.wouldBlock)
        store.releaseOwnership()
        store.releaseOwnership()
        try store.acquireOwnership()
    }
}
