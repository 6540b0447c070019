import DataProtection
import TestSupport
import Testing

/// Names of every kind, and what is left of them on the host.
@Suite struct `A name` {
    private static let long = String(repeating: "n", count: 255)

    private func hostNames(_ rig: VolumeRig) throws -> [String] {
        try rig.store.root.list().map(\.name).filter { $0 != ".lock" }
    }

    @Test(arguments: RigStore.allCases) func `can be anything but a few`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let names = [
            "a", " ", "...", ".hidden", "-", "damaged:", "damaged:abc", "line\nfeed", "übung",
            "u\u{308}bung", "日本語", "👩‍👩‍👧", String(repeating: "é", count: 127), "\u{1}\u{7F}\\\"'*?",
            String(repeating: "x", count: 174), String(repeating: "x", count: 175),
            String(repeating: "x", count: 176), Self.long, ".keybag-1", ".lock", ".folder",
        ]
        for (index, name) in names.enumerated() {
            try rig.volume.write([UInt8(index)], to: name)
        }
        try rig.reopen()
        #expect(
            try rig.volume.list().map(\.nameBytes)
                == names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
        for (index, name) in names.enumerated() {
            #expect(try rig.volume.read(name) == [UInt8(index)], "\(name)")
            #expect(try rig.volume.attributes(of: name).size == 1, "\(name)")
            try rig.volume.setProtectionClass(.complete, of: name)
        }
        for name in names { try rig.volume.removeFile(name) }
        #expect(try rig.volume.list().isEmpty)
        #expect(try hostNames(rig).sorted() == [".folder", ".keybag-1", ".keybag-2", ".marker"])
    }

    @Test func `has one host name, short or long`() {
        for count in [17, 191, 192, 193, 271] {
            let sealed = pattern(count)
            let entry = EntryName(sealed: sealed)
            let target = entry.link?.target
            #expect((target == nil) == (count <= 191))
            #expect(
                EntryName.sealedName(hostName: entry.hostName) { _ in target } == sealed)
            let other = count <= 191 ? EntryName(sealed: pattern(200)).hostName : nil
            for name in [other ?? Base64URL.encode(sealed), "." + entry.hostName] {
                #expect(EntryName.sealedName(hostName: name) { _ in target } == nil)
            }
        }
    }

    @Test func `is refused when no file can have it`() throws {
        let rig = try VolumeRig()
        let before = try hostNames(rig).count
        for name in [".", "..", "a/..", "../a", String(repeating: "x", count: 256), "a\u{0}b"] {
            let calls: [() throws -> Void] = [
                { try rig.volume.write([1], to: name) }, { try rig.volume.makeFolder(name) },
                { _ = try rig.volume.read(name) }, { try rig.volume.removeFile(name) },
                { try rig.volume.rename(name, to: "b") }, { try rig.volume.rename("b", to: name) },
                { _ = try rig.volume.attributes(of: name) }, { _ = try rig.volume.list(name) },
            ]
            for call in calls { #expect(refusal(call) == .invalidName, "\(name)") }
        }
        #expect(refusal { try rig.volume.write([1], to: "") } == .isFolder)
        #expect(refusal { try rig.volume.makeFolder("/") } == .exists)
        #expect(try hostNames(rig).count == before)
    }

    @Test(arguments: RigStore.allCases)
    func `that is long leaves nothing behind`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let before = try hostNames(rig).sorted()
        let other = String(repeating: "o", count: 200)
        try rig.volume.write([1], to: Self.long)
        try rig.volume.rename(Self.long, to: other)
        try rig.volume.write([2], to: Self.long)
        try rig.volume.rename(Self.long, to: other)
        #expect(try rig.volume.read(other) == [2])
        try rig.volume.write([3], to: other)
        try rig.volume.rename(other, to: "short")
        try rig.volume.rename("short", to: other)
        #expect(try hostNames(rig).count { $0.hasPrefix(".name-") } == 1)
        try rig.volume.removeFile(other)
        try rig.volume.makeFolder(Self.long)
        try rig.volume.write([1], to: Self.long + "/" + Self.long)
        #expect(refusal { try rig.volume.makeFolder(Self.long) } == .exists)
        try rig.volume.rename(Self.long, to: other)
        #expect(try rig.volume.read(other + "/" + Self.long) == [1])
        #expect(refusal { try rig.volume.removeFolder(other) } == .notEmpty)
        try rig.volume.removeFile(other + "/" + Self.long)
        try rig.volume.makeFolder(Self.long)
        try rig.volume.rename(other, to: Self.long)
        #expect(try rig.volume.list().map(\.name) == [Self.long])
        try rig.volume.removeFolder(Self.long)
        #expect(try hostNames(rig).sorted() == before)
    }

    @Test func `of a folder keeps renames in their bounds`() throws {
        let rig = try VolumeRig()
        for path in ["a", "a/b", "empty", "full"] { try rig.volume.makeFolder(path) }
        try rig.volume.write([1], to: "full/f")
        try rig.volume.write([2], to: "file")
        #expect(refusal { try rig.volume.rename("a", to: "a/b/c") } == .invalidArgument)
        #expect(refusal { try rig.volume.rename("a", to: "a/c") } == .invalidArgument)
        #expect(refusal { try rig.volume.rename("", to: "x") } == .invalidArgument)
        try rig.volume.rename("a", to: "a")
        #expect(refusal { try rig.volume.rename("a", to: "full") } == .notEmpty)
        #expect(refusal { try rig.volume.rename("a", to: "file") } == .notFolder)
        #expect(refusal { try rig.volume.rename("file", to: "a") } == .isFolder)
        #expect(refusal { try rig.volume.rename("nothing", to: "x") } == .missing)
        #expect(refusal { try rig.volume.rename("file", to: "nothing/x") } == .missing)
        #expect(refusal { try rig.volume.rename("a", to: "file/x") } == .notFolder)
        #expect(refusal { try rig.volume.removeFolder("full") } == .notEmpty)
        #expect(refusal { try rig.volume.removeFolder("file") } == .notFolder)
        #expect(refusal { try rig.volume.removeFile("full") } == .isFolder)
        #expect(refusal { try rig.volume.write([1], to: "full") } == .isFolder)
        #expect(refusal { _ = try rig.volume.openFile("full") } == .isFolder)
        #expect(
            refusal { _ = try rig.volume.openFile("file", [.write, .create, .exclusive]) }
                == .exists)
        try rig.volume.rename("full", to: "empty")
        #expect(try rig.volume.list().map(\.name) == ["a", "empty", "file"])
        #expect(try rig.volume.read("empty/f") == [1])
        #expect(try rig.volume.list("a").map(\.name) == ["b"])
        #expect(try rig.volume.read("file") == [2])
    }

    @Test(arguments: RigStore.allCases)
    func `that is damaged can be listed, and its entry removed`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "whole")
        try rig.volume.write([1], to: "short")
        try rig.volume.write([1], to: Self.long)
        try rig.volume.makeFolder("folder")
        let whole = try #require(
            rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        for name in try hostNames(rig) where name.hasPrefix(".name-") {
            try rig.store.root.removeFile(name)
            try rig.store.root.makeSymlink(name, target: "AAAA")
        }
        _ = try rig.store.root.createFile("foreign", mode: 0o600)
        try rig.store.root.makeFolder("Zm9yZWlnbg", mode: 0o700)
        let listed = try rig.volume.list()
        let damaged = listed.filter(\.hasDamagedName)
        #expect(listed.count == 6)
        #expect(damaged.count == 3)
        for entry in damaged where entry.kind == .file {
            #expect(entry.name.hasPrefix("damaged:"))
            _ = try rig.volume.attributes(of: entry.name)
            try rig.volume.removeFile(entry.name)
        }
        for entry in damaged where entry.kind == .folder { try rig.volume.removeFolder(entry.name) }
        #expect(try rig.volume.list().map(\.name) == ["folder", "short", "whole"])
        #expect(try hostNames(rig).count { $0.hasPrefix(".name-") } == 0)
        // No stand-in reaches an entry whose name is whole, nor anything reserved.
        for name in [whole, ".keybag-1", ".folder", ".marker", "..", "."] {
            #expect(refusal { try rig.volume.removeFile("damaged:" + name) } == .missing)
        }
        #expect(try rig.volume.list().count == 3)
    }
}
