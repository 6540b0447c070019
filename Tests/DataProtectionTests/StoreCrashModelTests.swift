import DataProtection
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// What holds for the cuts of any trace.
@Suite struct `Power cuts of random traces` {
    /// Does one random thing to a store with files "f0" to "f3" and folders "d0" and "d1".
    private func step(
        _ store: CrashingStore, _ generator: inout SeededGenerator
    ) throws(HostError) {
        let root = store.root
        let name = "f\(Int.random(in: 0...3, using: &generator))"
        let other = "f\(Int.random(in: 0...3, using: &generator))"
        let byte = UInt8.random(in: 1...255, using: &generator)
        let offset = Int64(Int.random(in: 0...5, using: &generator) * 2048)
        switch Int.random(in: 0...20, using: &generator) {
        case 0...1: _ = try root.createFile(name, mode: 0o600)
        case 2...7: try root.openFile(name, writable: true).write(page(byte), at: offset)
        case 8: try root.openFile(name, writable: true).truncate(to: offset)
        case 9: try root.removeFile(name)
        case 10: try root.rename(name, to: root, as: other, rule: .replace)
        case 11: try root.rename(name, to: root, as: other, rule: .exchange)
        case 12: try root.makeFolder("d\(byte % 2)", mode: 0o700)
        case 13:
            try root.rename(name, to: root.openFolder("d\(byte % 2)"), as: name, rule: .replace)
        case 14: try root.makeLink(of: name, in: root, as: other)
        case 15: try root.setMode(UInt32(byte), of: name)
        case 16:
            let page = offset / 4096 * 4096
            try root.openFile(name, writable: true).punchHole(page..<(page + 4096))
        case 17:
            let attributes = try root.openFile(name, writable: false).userAttributes
            if byte < 80 { return try attributes.remove("user.a") }
            try attributes.set("user.a", to: [byte], rule: .set)
        case 18: try root.openFile(name, writable: true).allocate(offset..<(offset + 8192))
        case 19: try root.openFile(name, writable: true).sync(everything: byte % 2 == 0)
        default: try root.sync()
        }
    }

    private func makeTrace(_ seed: UInt64, stepCount: Int) -> CrashingStore {
        var generator = SeededGenerator(seed: seed)
        let store = CrashingStore()
        while store.operationCount < stepCount {
            // Many random steps make no sense, and are refused; those are not in the trace.
            try? step(store, &generator)
        }
        return store
    }

    /// What can be read of a file or folder.
    private struct Item: Hashable {
        var bytes: [UInt8] = []
        var inode: UInt64
        var mode: UInt32
        var linkCount: UInt64
        var attribute: [UInt8]?
    }

    /// Everything in a folder, readable and comparable.
    private func describe(_ folder: any BackingFolder) throws -> [String: Item] {
        var tree: [String: Item] = [:]
        for entry in try folder.list() {
            let status = try folder.attributes(of: entry.name)
            var item = Item(
                inode: status.identity.inode, mode: status.mode, linkCount: status.linkCount)
            if entry.kind == .folder {
                for (name, inner) in try describe(folder.openFolder(entry.name)) {
                    tree["\(entry.name)/\(name)"] = inner
                }
            } else {
                let file = try folder.openFile(entry.name, writable: false)
                item.bytes = try file.allBytes()
                item.attribute = try file.userAttributes.value(of: "user.a")
            }
            tree[entry.name] = item
        }
        return tree
    }

    @Test(arguments: UInt64(1)...20)
    func `a cut that loses nothing leaves what was there`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let store = CrashingStore()
        for _ in 0..<100 {
            try? step(store, &generator)
            #expect(
                try describe(store.cut(.everything).root) == describe(store.root), "seed \(seed)")
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `nothing is undecided after syncAll`(_ seed: UInt64) throws {
        let store = makeTrace(seed, stepCount: 40)
        try store.syncAll()
        #expect(store.possibleCuts().count == 1)
        let expected = try describe(store.root)
        for outcome in [CutOutcome.nothingUnsynced, .everything, .random(seed: seed)] {
            #expect(try describe(store.cut(outcome).root) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `a random cut is one of the numbered ones, and repeats`(_ seed: UInt64) throws {
        let store = makeTrace(seed, stepCount: 12)
        let cuts = store.possibleCuts()
        guard cuts.count <= 5000 else { return }
        let numbered = Set(try (0..<cuts.count).map { try describe(store.cut(.numbered($0)).root) })
        for cutSeed in UInt64(0)..<50 {
            let left = try describe(store.cut(seed: cutSeed).root)
            #expect(numbered.contains(left), "seeds \(seed), \(cutSeed)")
            #expect(try describe(store.cut(seed: cutSeed).root) == left)
        }
        #expect(numbered.contains(try describe(store.cut(.nothingUnsynced).root)))
        #expect(numbered.contains(try describe(store.cut(.everything).root)))
    }

    @Test(.timeLimit(.minutes(30))) func `ten thousand cuts take seconds`() throws {
        let store = makeTrace(7, stepCount: 50)
        for operation in 0...store.operationCount {
            for seed in UInt64(0)..<200 {
                _ = store.cut(.random(seed: seed), afterOperation: operation)
            }
        }
    }

    @Test func `a cut store is independent, and can be cut again`() throws {
        let store = CrashingStore()
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(page(1))
        let left = store.cut(.everything)
        try file.write(page(2))
        #expect(try left.root.allBytes(of: "f") == page(1))
        let second = CrashingStore(left.image())
        try second.root.openFile("f", writable: true).write(page(3))
        #expect(try second.cut(.nothingUnsynced).root.allBytes(of: "f") == page(1))
        #expect(try second.cut(.everything).root.allBytes(of: "f") == page(3))
        #expect(try left.root.allBytes(of: "f") == page(1))
    }

    @Test func `too many disks to count are not counted`() throws {
        let store = CrashingStore()
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write([UInt8](repeating: 1, count: 100 * 4096))
        #expect(store.possibleCuts().count == .max)
        #expect(try store.cut(seed: 1).root.names().count <= 1)
    }

    @Test func `a trace can be cut after each of its operations`() throws {
        let store = CrashingStore()
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(page(1))
        try file.sync(everything: false)
        try file.write(page(2))
        #expect(store.operationCount == 4)
        let left = try (0...4).map { operation in
            try describe(store.cut(.everything, afterOperation: operation).root)["f"]?.bytes
        }
        #expect(left == [nil, [], page(1), page(1), page(2)])
        let kept = try (0...4).map { operation in
            try describe(store.cut(.nothingUnsynced, afterOperation: operation).root)["f"]?.bytes
        }
        #expect(kept == [nil, nil, nil, page(1), page(1)])
    }

    @Test func `a write that the full disk cut short is logged as far as it went`() throws {
        var options = MemoryStore.Options()
        options.byteLimit = 256 * 2 + 4096
        let store = CrashingStore(options: options)
        let file = try store.root.createFile("f", mode: 0o600)
        #expect(code { try file.write(page(1) + page(2)) } == HostError.noSpace)
        #expect(try store.cut(.everything).root.allBytes(of: "f") == page(1))
    }

    @Test func `times are those of the last change on the disk`() throws {
        let now = Mutex(Int64(0))
        var options = MemoryStore.Options()
        options.clock = { HostTime(seconds: now.withLock { $0 }, nanoseconds: 0) }
        let store = CrashingStore(options: options)
        now.withLock { $0 = 10 }
        let file = try store.root.createFile("f", mode: 0o600)
        try file.sync(everything: true)
        now.withLock { $0 = 20 }
        try file.write(page(1))
        let times = try [CutOutcome.nothingUnsynced, .everything].map { outcome in
            try store.cut(outcome).root.attributes(of: "f").modificationTime.seconds
        }
        #expect(times == [10, 20])
    }
}

/// Hosts whose syncs promise less than ext4's usually do.
@Suite struct `A sync that commits only what was synced` {
    @Test func `does not keep an older rename of another file's`() throws {
        let store = CrashingStore(commitRule: .onlyTheSynced)
        let file = try store.root.createFile("f", mode: 0o600)
        try store.root.sync()
        try store.root.rename("f", to: store.root, as: "g", rule: .replace)
        try file.sync(everything: false)
        #expect(try store.cut(.nothingUnsynced).root.names() == ["f"])
        try store.root.sync()
        #expect(try store.cut(.nothingUnsynced).root.names() == ["g"])
    }

    @Test func `keeps the file's own creation, and all before it`() throws {
        let store = CrashingStore(commitRule: .onlyTheSynced)
        try store.root.makeFolder("d", mode: 0o700)
        let file = try store.root.createFile("f", mode: 0o600)
        try store.root.makeFolder("e", mode: 0o700)
        try file.write(page(1))
        try file.sync(everything: false)
        let left = store.cut(.nothingUnsynced).root
        #expect(try left.names() == ["d", "f"])
        #expect(try left.allBytes(of: "f") == page(1))
    }
}
