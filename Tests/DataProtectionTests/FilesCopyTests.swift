import DataProtection
import Foundation
import TestSupport
import Testing

/// Copying files and folders.
@Suite struct `A copy` {
    private static func type(_ path: String, _ rig: VolumeRig) throws -> FileProtectionType? {
        try rig.files.attributesOfItem(atPath: path)[.protectionKey] as? FileProtectionType
    }

    @Test(arguments: RigStore.allCases) func `has the source's class, not its folder's`(
        store: RigStore
    ) throws {
        for rules in RuleSet.allCases {
            let rig = try VolumeRig(store, rules: rules)
            for folder in ProtectionClass.allCases {
                try rig.volume.makeFolder(folder.name, class: folder)
                for source in ProtectionClass.allCases {
                    try rig.make("f", pattern(5000), source)
                    try rig.files.copyItem(
                        at: rig.url("f"), to: rig.url(folder.name + "/" + source.name))
                    let copy = folder.name + "/" + source.name
                    #expect(try rig.volume.protectionClass(of: copy) == source)
                    #expect(try rig.volume.read(copy) == pattern(5000))
                }
            }
        }
    }

    @Test(arguments: RigStore.allCases) func `of a folder has everything in it`(store: RigStore)
        throws
    {
        let rig = try VolumeRig(store, defaultClass: .completeUnlessOpen)
        let volume = rig.volume
        try volume.makeFolder("from", class: .complete, mode: 0o750)
        try volume.makeFolder("from/weak", class: ProtectionClass.none)
        try volume.makeFolder("from/default")
        try volume.setProtectionClass(nil, of: "from/default")
        for (index, protectionClass) in ProtectionClass.allCases.enumerated() {
            try rig.make("from/\(index)", pattern(9000, seed: UInt64(index)), protectionClass)
            try rig.make("from/weak/\(index)", [UInt8(index)], protectionClass)
        }
        try volume.setAttributes(AttributeChange(mode: 0o604), of: "from/0")
        try volume.makeSymbolicLink("from/link", target: "../elsewhere")
        try volume.makeNode("from/fifo", .fifo, mode: 0o620)
        try volume.setUserAttribute("tag", to: [1, 2], of: "from/0")
        try volume.setUserAttribute("tag", to: [3], of: "from/weak")
        var old = AttributeChange()
        old.modificationTime = .time(FileTime(seconds: 1_000_000, nanoseconds: 5))
        for path in ["from/0", "from/weak", "from"] { try volume.setAttributes(old, of: path) }
        try rig.files.copyItem(at: rig.url("from"), to: rig.url("to"))
        #expect(try rig.files.contentsEqual(atPath: "from", andPath: "to"))
        for path in [""] + (try rig.files.subpathsOfDirectory(atPath: "from")).map({ "/" + $0 }) {
            let was = try volume.attributes(of: "from" + path)
            let found = try volume.attributes(of: "to" + path)
            #expect(found.kind == was.kind, "\(path)")
            #expect(found.protectionClass == was.protectionClass, "\(path)")
            #expect(found.mode == was.mode, "\(path)")
            #expect(found.size == was.size, "\(path)")
            #expect(found.modificationTime == was.modificationTime, "\(path)")
            #expect(found.identity != was.identity, "\(path)")
        }
        #expect(try volume.symbolicLinkTarget(of: "to/link") == "../elsewhere")
        #expect(try volume.userAttribute("tag", of: "to/0") == [1, 2])
        #expect(try volume.userAttribute("tag", of: "to/weak") == [3])
        #expect(try volume.list("tmp/TemporaryItems").isEmpty)
    }

    @Test func `of what holds the temporary folder does not hold itself`() throws {
        let rig = try VolumeRig()
        let temporary = rig.files.temporaryDirectory
        try rig.make("tmp/draft", [1])
        try rig.volume.makeFolder("tmp/TemporaryItems")
        try rig.make("tmp/TemporaryItems/preview", [2])
        try rig.files.copyItem(at: temporary, to: rig.url("copy"))
        #expect(
            try rig.files.subpathsOfDirectory(atPath: "copy")
                == ["TemporaryItems", "TemporaryItems/preview", "draft"])
        try rig.files.copyItem(
            at: temporary.appending(path: "TemporaryItems"), to: rig.url("items"))
        #expect(try rig.files.subpathsOfDirectory(atPath: "items") == ["preview"])
        #expect(try rig.volume.list("tmp/TemporaryItems").map(\.name) == ["preview"])
    }

    @Test func `keeps the holes`() throws {
        let rig = try VolumeRig(.folder)
        let file = try rig.volume.openFile("f", [.readWrite, .create], class: .complete)
        try file.write([1], at: 0)
        try file.write([2], at: 500 << 20)
        try file.truncate(to: 800 << 20)
        file.close()
        try rig.files.copyItem(atPath: "f", toPath: "g")
        let found = try rig.volume.attributes(of: "g")
        #expect(found.size == 800 << 20)
        #expect(found.allocatedByteCount < 1 << 20)
        let copy = try rig.volume.openFile("g")
        #expect(try copy.read(at: 500 << 20, count: 2) == [2, 0])
        #expect(try copy.read(at: 0, count: 2) == [1, 0])
    }

    @Test(arguments: RigStore.allCases) func `that fails leaves nothing`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.makeFolder("from")
        try rig.volume.makeFolder("from/in")
        try rig.make("from/a", [1], ProtectionClass.none)
        try rig.make("from/in/b", [1], .completeUnlessOpen)
        try rig.make("from/in/c", [1], .complete)
        rig.volume.lock()
        #expect(fileRefusal { try rig.files.copyItem(atPath: "from", toPath: "to") } == .sealed)
        #expect(cocoaCode { try rig.files.copyItem(atPath: "from", toPath: "to") } == 257)
        #expect(
            fileRefusal { try rig.files.copyItem(atPath: "from/in/b", toPath: "to") } == .sealed)
        #expect(try rig.volume.list().map(\.name) == ["from", "tmp"])
        #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        try rig.unlock()
        for (source, target, code) in [
            ("from", "from/in/deeper", 256), ("from", "from", 516), ("missing", "to", 260),
            ("from/a", "from/in/b", 516), ("from", "missing/to", 4), ("from/a", "missing/to", 4),
            ("from/a", "from/a/b", 512), ("from", "tmp", 516),
        ] {
            #expect(
                cocoaCode { try rig.files.copyItem(atPath: source, toPath: target) } == code,
                "\(source) to \(target)")
        }
        #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        #expect(
            try rig.files.subpathsOfDirectory(atPath: ".") == [
                "from", "from/a", "from/in", "from/in/b", "from/in/c", "tmp", "tmp/TemporaryItems",
            ])
    }

    @Test func `on a full disk leaves nothing`() throws {
        var options = MemoryStore.Options()
        options.byteLimit = 2 << 20
        let rig = try VolumeRig(options: options)
        try rig.volume.makeFolder("from")
        for name in ["a", "b", "c"] { try rig.make("from/" + name, pattern(400_000), .complete) }
        let free = try rig.volume.space().freeBlockCount
        #expect(cocoaCode { try rig.files.copyItem(atPath: "from", toPath: "to") } == 640)
        #expect(try !rig.files.fileExists(atPath: "to"))
        #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        let left = try rig.volume.space().freeBlockCount
        #expect(free - left <= 3, "\(free - left) blocks are gone")  // the folders of tmp
    }

    @Test func `that a lock ends leaves nothing`() async throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("from")
        for name in 0..<40 { try rig.make("from/\(name)", pattern(100_000), .complete) }
        for round in 0..<8 {
            let files = rig.files
            let copying = Task.detached {
                Outcome.ofFiles { try files.copyItem(atPath: "from", toPath: "to\(round)") }
            }
            try await Task.sleep(for: .milliseconds(round * 3))
            rig.volume.lock()
            let outcome = await copying.value
            try rig.unlock()
            if outcome == .done {
                #expect(try files.contentsEqual(atPath: "from", andPath: "to\(round)"))
            } else {
                #expect(outcome == .sealed)
                #expect(try !files.fileExists(atPath: "to\(round)"))
            }
            #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        }
    }

    @Test func `is told equal or different by content, name and kind`() throws {
        let rig = try VolumeRig()
        let files = rig.files
        for folder in ["a", "a/d", "b", "b/d"] { try rig.volume.makeFolder(folder) }
        for file in ["a/f", "b/f", "a/d/g"] { try rig.make(file, [1]) }
        #expect(try !files.contentsEqual(atPath: "a", andPath: "b"))
        try rig.make("b/d/g", [1], .complete)
        #expect(try files.contentsEqual(atPath: "a", andPath: "b"))
        try rig.make("b/f", [2])
        #expect(try !files.contentsEqual(atPath: "a", andPath: "b"))
        #expect(try !files.contentsEqual(atPath: "a", andPath: "a/f"))
        try rig.volume.makeSymbolicLink("link", target: "a/f")
        try rig.volume.makeSymbolicLink("other", target: "b/f")
        #expect(try !files.contentsEqual(atPath: "link", andPath: "other"))
        #expect(try files.contentsEqual(atPath: "link", andPath: "link"))
        #expect(cocoaCode { _ = try files.contentsEqual(atPath: "a", andPath: "c") } == 260)
        rig.volume.lock()
        #expect(
            fileRefusal { _ = try files.contentsEqual(atPath: "b/d/g", andPath: "a/d/g") }
                == .sealed)
    }
}
