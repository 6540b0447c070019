import DataProtection
import Testing

/// What every store does when an entry is renamed.
@Suite(.scratchFolder) struct `Every store renames` {
    /// Files "a" and "b", and folders "d" (with the file "e" in it) and "n" (with nothing).
    private func makeTree(_ kind: StoreKind) throws -> StoreUnderTest {
        let store = try kind.make()
        try store.root.createFile("a", mode: 0o600).write([1])
        try store.root.createFile("b", mode: 0o600).write([2])
        try store.root.makeFolder("d", mode: 0o755)
        try store.root.makeFolder("n", mode: 0o755)
        _ = try store.root.openFolder("d").createFile("e", mode: 0o600)
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func `over an existing file`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        let replaced = try root.openFile("b", writable: false)
        try root.rename("a", to: root, as: "b", rule: .replace)
        #expect(try root.names() == ["b", "d", "n"])
        #expect(try root.allBytes(of: "b") == [1])
        #expect(try replaced.allBytes() == [2])
        #expect(try replaced.attributes().linkCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `into another folder and back`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        // Where the host counts folders at all: btrfs and some others say 1.
        let countsFolders = try root.attributes().linkCount == 4
        let folder = try root.openFolder("d")
        try root.rename("a", to: folder, as: "moved", rule: .exclusive)
        try root.rename("n", to: folder, as: "n2", rule: .exclusive)
        #expect(try folder.names() == ["e", "moved", "n2"])
        #expect(try root.attributes().linkCount == (countsFolders ? 3 : 1))
        #expect(try folder.attributes().linkCount == (countsFolders ? 3 : 1))
        try folder.rename("moved", to: root, as: "a", rule: .exclusive)
        #expect(try root.allBytes(of: "a") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `two entries change places`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        let countsFolders = try root.attributes().linkCount == 4
        let folder = try root.openFolder("d")
        try root.rename("a", to: root, as: "b", rule: .exchange)
        #expect(try root.allBytes(of: "a") == [2])
        try root.rename("n", to: folder, as: "e", rule: .exchange)
        #expect(try root.attributes(of: "n").kind == .regular)
        #expect(try folder.attributes(of: "e").kind == .folder)
        #expect(try folder.attributes().linkCount == (countsFolders ? 3 : 1))
    }

    @Test(arguments: StoreKind.allCases)
    func `folders replace empty folders alone`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        try root.rename("d", to: root, as: "n", rule: .replace)
        #expect(try root.names() == ["a", "b", "n"])
        #expect(try root.openFolder("n").names() == ["e"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a name onto itself changes nothing`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        try root.rename("a", to: root, as: "a", rule: .replace)
        try root.rename("a", to: root, as: "a", rule: .exchange)
        #expect(try root.allBytes(of: "a") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `what cannot be is refused with the kernel's number`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        let folder = try root.openFolder("d")
        try folder.makeFolder("below", mode: 0o755)
        let below = try folder.openFolder("below")
        func attempt(
            _ name: String, in source: any BackingFolder, to target: any BackingFolder,
            as newName: String, _ rule: HostRenameRule
        ) -> Int32? {
            code {
                try source.rename(name, to: target, as: newName, rule: rule)
            }
        }
        #expect(attempt("x", in: root, to: root, as: "y", .replace) == HostError.noSuchEntry)
        #expect(attempt("a", in: root, to: root, as: "b", .exclusive) == HostError.entryExists)
        #expect(attempt("a", in: root, to: root, as: "x", .exchange) == HostError.noSuchEntry)
        #expect(attempt("a", in: root, to: root, as: "n", .replace) == HostError.isFolder)
        #expect(attempt("n", in: root, to: root, as: "a", .replace) == HostError.notFolder)
        #expect(attempt("n", in: root, to: root, as: "d", .replace) == HostError.notEmpty)
        #expect(attempt("d", in: root, to: below, as: "x", .replace) == HostError.invalidArgument)
        #expect(attempt("d", in: root, to: folder, as: "x", .replace) == HostError.invalidArgument)
        #expect(attempt("below", in: folder, to: root, as: "d", .replace) == HostError.notEmpty)
        #expect(
            attempt("below", in: folder, to: root, as: "d", .exchange)
                == HostError.invalidArgument)
        #expect(attempt("e", in: folder, to: root, as: "d", .replace) == HostError.notEmpty)
        #expect(try root.names() == ["a", "b", "d", "n"])
    }

    @Test(arguments: StoreKind.allCases)
    func `another store is another device`(_ kind: StoreKind) throws {
        let root = try makeTree(kind).root
        let other = MemoryStore().root
        #expect(
            code {
                try root.rename("a", to: other, as: "a", rule: .replace)
            } == HostError.crossDevice)
    }
}
