import DataProtection
import SimulatedDevice
import TestSupport
import Testing

/// The rules of a power cut, each on a trace that fits in the hand.
@Suite struct `A power cut` {
    /// What all cuts of a trace leave, as a reader of the disk describes it.
    private func all<Value: Hashable>(
        _ store: CrashingStore, _ describe: (any BackingFolder) throws -> Value
    ) throws -> Set<Value> {
        let cuts = store.possibleCuts()
        return Set(
            try (0..<cuts.count).map { number in
                try describe(store.cut(.numbered(number)).root)
            })
    }

    /// A store with a durable file "f" of these bytes.
    private func makeStore(_ bytes: [UInt8] = []) throws -> (CrashingStore, any BackingFile) {
        let store = CrashingStore()
        let file = try store.root.createFile("f", mode: 0o600)
        if !bytes.isEmpty { try file.write(bytes) }
        try file.sync(everything: true)
        return (store, file)
    }

    /// A file's pages as one letter each: the byte that fills it, 0 for zeros.
    private func letters(_ folder: any BackingFolder, _ name: String = "f") throws -> String {
        let bytes = try folder.allBytes(of: name)
        return stride(from: 0, to: bytes.count, by: 4096).map { "\(bytes[$0])" }.joined()
    }

    @Test func `loses or keeps each unsynced page for itself`() throws {
        let (store, file) = try makeStore(page(1) + page(1) + page(1))
        try file.write(page(2) + page(2), at: 0)
        #expect(try all(store) { try letters($0) } == ["111", "121", "211", "221"])
    }

    @Test func `may leave any of a page's contents since the last sync`() throws {
        let (store, file) = try makeStore(page(1))
        try file.write(page(2))
        try file.write(page(3))
        #expect(try all(store) { try letters($0) } == ["1", "2", "3"])
    }

    @Test func `keeps a page whole`() throws {
        let (store, file) = try makeStore(page(1))
        try file.write([2, 2], at: 0)
        try file.write([3], at: 4095)
        let left = try all(store) { try $0.allBytes(of: "f") }
        let first = [2, 2] + page(1).dropFirst(2)
        #expect(left == [page(1), first, first.dropLast() + [3]])
    }

    @Test func `leaves growth as one of the sizes, with or without the data`() throws {
        let (store, file) = try makeStore(page(1))
        try file.write(page(2), at: 4096)
        try file.write(page(3), at: 8192)
        let left = try all(store) { try letters($0) }
        #expect(left == ["1", "10", "12", "100", "120", "103", "123"])
    }

    @Test func `leaves a new file empty, or with its size, or with its bytes`() throws {
        let store = CrashingStore()
        try store.root.createFile("f", mode: 0o600).write(page(1))
        let left = try all(store) { try $0.has("f") ? try letters($0) : "-" }
        #expect(left == ["-", "", "0", "1"])
    }

    @Test(arguments: [false, true])
    func `spares what was synced`(_ everything: Bool) throws {
        let (store, file) = try makeStore(page(1))
        try file.write(page(2) + page(3))
        try file.sync(everything: everything)
        #expect(store.possibleCuts().count == 1)
        #expect(try all(store) { try letters($0) } == ["23"])
        try file.write(page(4), at: 4096)
        #expect(try all(store) { try letters($0) } == ["23", "24"])
    }

    @Test func `spares everything after syncAll`() throws {
        let store = CrashingStore()
        try store.root.createFile("f", mode: 0o600).write(page(1))
        try store.root.createFile("g", mode: 0o600).write(page(2))
        try store.syncAll()
        #expect(store.possibleCuts().count == 1)
        #expect(try all(store) { try letters($0) + letters($0, "g") } == ["12"])
    }

    @Test func `does not sync the data of another file`() throws {
        let store = CrashingStore()
        let file = try store.root.createFile("f", mode: 0o600)
        let other = try store.root.createFile("g", mode: 0o600)
        try file.write(page(1))
        try other.sync(everything: true)
        #expect(try all(store) { try letters($0) } == ["", "0", "1"])
    }

    @Test func `loses unsynced data under some seed, and never synced data`() throws {
        let (store, file) = try makeStore(page(1))
        try file.write(page(2), at: 4096)
        try file.sync(everything: false)
        try file.write(page(3), at: 8192)
        var lost = 0
        for seed in UInt64(0)..<200 {
            let left = try letters(store.cut(seed: seed).root)
            #expect(left.hasPrefix("12"), "seed \(seed)")
            if left != "123" { lost += 1 }
        }
        #expect(lost > 20 && lost < 200)
    }

    @Test func `keeps the journal in order`() throws {
        let store = CrashingStore()
        _ = try store.root.createFile("a", mode: 0o600)
        try store.root.makeFolder("b", mode: 0o700)
        try store.root.makeSymlink("c", target: "x")
        try store.root.setMode(0o640, of: "a")
        try store.root.rename("a", to: store.root, as: "d", rule: .replace)
        try store.root.removeFile("c")
        try store.root.removeFolder("b")
        let left = try all(store) { root in
            try root.names().map { name in
                "\(name)\(String(try root.attributes(of: name).mode, radix: 8))"
            }
        }
        #expect(
            left == [
                [], ["a600"], ["a600", "b700"], ["a600", "b700", "c777"],
                ["a640", "b700", "c777"], ["b700", "c777", "d640"], ["b700", "d640"], ["d640"],
            ])
    }

    @Test func `keeps a symbolic link with its target`() throws {
        let store = CrashingStore()
        try store.root.makeSymlink("l", target: "the whole record")
        let left = try all(store) { try $0.has("l") ? try $0.readSymlink("l") : "-" }
        #expect(left == ["-", "the whole record"])
    }

    @Test func `may keep a rename without the data`() throws {
        let (store, _) = try makeStore(page(1))
        let new = try store.root.createFile("new", mode: 0o600)
        try new.write(page(2))
        try store.root.rename("new", to: store.root, as: "f", rule: .replace)
        let left = try all(store) { try letters($0) }
        #expect(left == ["1", "", "0", "2"])
    }

    @Test func `never loses data that was synced before its rename`() throws {
        let (store, _) = try makeStore(page(1))
        let new = try store.root.createFile("new", mode: 0o600)
        try new.write(page(2))
        try new.sync(everything: false)
        try store.root.rename("new", to: store.root, as: "f", rule: .replace)
        #expect(try all(store) { try letters($0) } == ["1", "2"])
    }

    @Test func `undoes an exchange whole`() throws {
        let (store, _) = try makeStore(page(1))
        try store.root.createFile("g", mode: 0o600).write(page(2))
        try store.syncAll()
        try store.root.rename("f", to: store.root, as: "g", rule: .exchange)
        #expect(try all(store) { try letters($0) + letters($0, "g") } == ["12", "21"])
    }

    @Test func `brings back a file whose removal is lost, with its data`() throws {
        let (store, file) = try makeStore(page(1))
        try store.root.removeFile("f")
        try file.write(page(2))
        let left = try all(store) { try $0.has("f") ? try letters($0) : "-" }
        #expect(left == ["-", "1", "2"])
    }

    @Test func `journals modes and attributes`() throws {
        let (store, file) = try makeStore()
        try file.userAttributes.set("user.a", to: [1], rule: .set)
        try file.userAttributes.set("user.a", to: [2], rule: .set)
        let left = try all(store) {
            try $0.openFile("f", writable: false).userAttributes.value(of: "user.a")
        }
        #expect(left == [nil, [1], [2]])
        try store.root.sync()
        #expect(store.possibleCuts().count == 1)
    }
}
