import DataProtection
import Foundation
import TestSupport
import Testing

/// What only a folder of a real host can show.
@Suite(.scratchFolder) struct `A store in a folder` {
    private func makeStore() throws -> (store: FolderStore, folder: ScratchFolder) {
        let folder = try #require(StoreScratchTrait.folder)
        return (try FolderStore(path: folder.path), folder)
    }

    @Test func `needs a folder that exists`() throws {
        let (store, folder) = try makeStore()
        _ = try store.root.createFile("file", mode: 0o600)
        #expect(code { _ = try FolderStore(path: folder.path(of: "file")) } == HostError.notFolder)
        #expect(code { _ = try FolderStore(path: folder.path(of: "x")) } == HostError.noSuchEntry)
        #expect(
            code { _ = try FolderStore(path: folder.path + "\0x") } == HostError.invalidArgument)
    }

    @Test func `works on when its folder is renamed`() throws {
        let (store, folder) = try makeStore()
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
        defer { try? FileManager.default.removeItem(atPath: folder.path + "-moved") }
        try store.root.createFile("file", mode: 0o600).write([1])
        #expect(try store.root.allBytes(of: "file") == [1])
    }

    @Test func `is not led away by a symbolic link`() throws {
        let (store, folder) = try makeStore()
        let outside = try ScratchFolder()
        try Data([7]).write(to: URL(filePath: outside.path(of: "secret")))
        let root = store.root
        try root.makeSymlink("file", target: outside.path(of: "secret"))
        try root.makeSymlink("folder", target: outside.path)
        #expect(code { _ = try root.openFile("file", writable: true) } == HostError.symbolicLink)
        #expect(code { _ = try root.createFile("file", mode: 0o600) } == HostError.entryExists)
        #expect(code { _ = try root.openFolder("folder") } == HostError.notFolder)
        try root.removeFile("file")
        try root.makeSymlink(ReservedName.lock, target: outside.path(of: "secret"))
        #expect(code { try store.acquireOwnership() } == HostError.symbolicLink)
        #expect(try Data(contentsOf: URL(filePath: outside.path(of: "secret"))) == Data([7]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["secret"])
        withExtendedLifetime((folder, outside)) {}
    }

    @Test(.timeLimit(.minutes(30))) func `does not wait for a fifo`() throws {
        let (store, folder) = try makeStore()
        #expect(mkfifo(folder.path(of: "fifo"), 0o600) == 0)
        for isWritable in [false, true] {
            #expect(
                code {
                    _ = try store.root.openFile("fifo", writable: isWritable)
                } == HostError.invalidArgument)
        }
        #expect(try store.root.list() == [HostEntry(name: "fifo", kind: .fifo)])
    }

    @Test func `lists names that are not UTF-8`() throws {
        let (store, folder) = try makeStore()
        let path = Array(folder.path(of: "x").utf8).dropLast() + [0x66, 0xFF, 0xFE, 0]
        let descriptor = path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
            creat($0.baseAddress!, 0o600)
        }
        #expect(descriptor >= 0)
        close(descriptor)
        _ = try store.root.createFile("plain", mode: 0o600)
        #expect(try store.root.names() == ["f\u{FFFD}\u{FFFD}", "plain"])
        #expect(
            code {
                _ = try store.root.openFile("f\u{FFFD}\u{FFFD}", writable: false)
            } == HostError.noSuchEntry)
    }

    @Test func `gives exact modes whatever the umask`() throws {
        let (store, _) = try makeStore()
        let before = umask(0o077)
        defer { umask(before) }
        _ = try store.root.createFile("file", mode: 0o666)
        try store.root.makeFolder("folder", mode: 0o775)
        #expect(try store.root.attributes(of: "file").mode == 0o666)
        #expect(try store.root.attributes(of: "folder").mode == 0o775)
    }

    @Test func `leaves no descriptor open`() throws {
        let (store, _) = try makeStore()
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\($0)")
                return target?.hasPrefix(StoreScratchTrait.folder?.path ?? "?") == true
            }.count
        }
        let before = try descriptors()
        #expect(before == 1)
        try store.acquireOwnership()
        for index in 0..<50 {
            let file = try store.root.createFile("f\(index)", mode: 0o600)
            try file.write([1])
            try store.root.makeFolder("d\(index)", mode: 0o700)
            _ = try store.root.openFolder("d\(index)").list()
            _ = try? store.root.openFile("d\(index)", writable: false)
            _ = try? FolderStore(path: StoreScratchTrait.folder?.path ?? "").acquireOwnership()
        }
        store.releaseOwnership()
        #expect(try descriptors() == before)
    }
}
