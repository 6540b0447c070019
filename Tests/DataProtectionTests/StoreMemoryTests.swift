import DataProtection
import Synchronization
import TestSupport
import Testing

/// What only a store in memory offers: limits, faults, copies.
@Suite struct `A store in memory` {
    private func makeStore(byteLimit: Int64) -> MemoryStore {
        var options = MemoryStore.Options()
        options.byteLimit = byteLimit
        return MemoryStore(options)
    }

    @Test func `says when the disk is full, and keeps what fitted`() throws {
        let root = makeStore(byteLimit: 256 * 2 + 4096 * 3).root
        let file = try root.createFile("f", mode: 0o600)
        try file.write(page(1))
        #expect(code { try file.write(page(2) + page(3) + page(4), at: 4096) } == HostError.noSpace)
        #expect(try file.allBytes() == page(1) + page(2) + page(3))
        try file.write(page(9), at: 0)
        #expect(try file.bytes(4096) == page(9))
        #expect(code { try file.write([1], at: 50_000) } == HostError.noSpace)
        #expect(try file.attributes().byteCount == 3 * 4096)
    }

    @Test func `says when there is no room for an entry`() throws {
        let root = makeStore(byteLimit: 256 * 3).root
        _ = try root.createFile("f", mode: 0o600)
        try root.makeFolder("d", mode: 0o700)
        let full = HostError.noSpace
        #expect(code { _ = try root.createFile("x", mode: 0) } == full)
        #expect(code { try root.makeFolder("x", mode: 0) } == full)
        #expect(code { try root.makeSymlink("x", target: "y") } == full)
        try root.removeFile("f")
        try root.makeSymlink("x", target: "y")
    }

    @Test func `gets its space back at the last close`() throws {
        let root = makeStore(byteLimit: 256 * 3 + 4096).root
        var file: (any BackingFile)? = try root.createFile("f", mode: 0o600)
        try file?.write(page(1))
        try root.removeFile("f")
        #expect(code { _ = try root.createFile("x", mode: 0) } == nil)
        let other = try root.openFile("x", writable: true)
        #expect(code { try other.write([1]) } == HostError.noSpace)
        file = nil
        try other.write([1])
        try other.truncate(to: 0)
        try other.write(page(2), at: 8192)
    }

    @Test func `fails the call that the hook fails`() throws {
        let seen = Mutex<[HostCall]>([])
        var options = MemoryStore.Options()
        options.onCall = { (call) throws(HostError) in
            let isThird = seen.withLock { calls in
                calls.append(call)
                return calls.count == 3
            }
            if isThird { throw HostError(code: HostError.inputOutput, call: "pwrite") }
        }
        let root = MemoryStore(options).root
        let file = try root.createFile("f", mode: 0o600)
        try file.write([1])
        #expect(code { try file.write([2]) } == HostError.inputOutput)
        #expect(try file.bytes(4) == [1])
        let expected = [
            HostCall(.createFile, "f"), HostCall(.write, "f"), HostCall(.write, "f"),
            HostCall(.read, "f"),
        ]
        #expect(seen.withLock { $0 } == expected)
    }

    @Test func `can be without attributes`() throws {
        var options = MemoryStore.Options()
        options.hasAttributes = false
        let store = MemoryStore(options)
        #expect(try store.capabilities().hasAttributes == false)
        let file = try store.root.createFile("f", mode: 0o600)
        #expect(
            code { try file.userAttributes.set("user.a", to: [1], rule: .set) }
                == HostError.notSupported)
        #expect(try file.userAttributes.value(of: "user.a") == nil)
        #expect(try file.userAttributes.names() == [])
        #expect(code { try file.userAttributes.remove("user.a") } == HostError.notSupported)
    }

    /// Makes each call of the store's protocols once.
    private func callEverything(_ store: any BackingStore) throws {
        let root = store.root
        try store.acquireOwnership()
        try store.syncAll()
        _ = try store.capabilities()
        _ = try store.space()
        let file = try root.createFile("f", mode: 0o600)
        try root.makeFolder("d", mode: 0o700)
        try root.makeNode("n", kind: .fifo, mode: 0o600, device: 0)
        try root.makeLink(of: "f", in: root, as: "l")
        try root.makeSymlink("s", target: "f")
        _ = try (root.attributes(), root.attributes(of: "f"), root.list(), root.readSymlink("s"))
        _ = try (root.openFile("f", writable: false), root.openFolder("d"))
        try root.setMode(0o640, of: "f")
        _ = try (file.attributes(), file.allBytes(), file.nextData(from: 0), file.nextHole(from: 0))
        try file.write([1])
        try file.punchHole(0..<4096)
        try file.allocate(0..<1)
        try file.setAttributes(HostAttributeChange(mode: 0o600))
        try file.truncate(to: 0)
        try file.sync(everything: true)
        try file.userAttributes.set("user.a", to: [], rule: .set)
        _ = try (file.userAttributes.names(), file.userAttributes.value(of: "user.a"))
        try file.userAttributes.remove("user.a")
        try root.rename("f", to: root, as: "g", rule: .replace)
        try root.removeFile("g")
        try root.removeFolder("d")
        try root.sync()
    }

    @Test func `shows its hook every call, and which of them change something`() throws {
        let seen = Mutex<[HostCall.Operation]>([])
        let changes = Mutex(0)
        let changing = Mutex<Set<HostCall.Operation>>([])
        var options = MemoryStore.Options()
        options.onCall = { (call) throws(HostError) in
            seen.withLock { $0.append(call.operation) }
            changes.withLock { $0 = 0 }
        }
        options.onChange = { _ in
            changes.withLock { $0 += 1 }
            if let last = seen.withLock({ $0.last }) {
                _ = changing.withLock { $0.insert(last) }
            }
        }
        try callEverything(MemoryStore(options))
        #expect(seen.withLock { Set($0) } == Set(HostCall.Operation.allCases))
        let expected = HostCall.Operation.allCases.filter(\.changesSomething)
        // Setting space aside changes something, but nothing that a power cut could show.
        #expect(changing.withLock { $0 } == Set(expected).subtracting([.allocate]))
    }

    @Test(arguments: HostCall.Operation.allCases)
    func `does nothing in a call that the hook fails`(_ operation: HostCall.Operation) throws {
        let changes = Mutex(0)
        var options = MemoryStore.Options()
        options.onCall = { (call) throws(HostError) in
            if call.operation == operation {
                changes.withLock { $0 = -1000 }
                throw HostError(code: HostError.inputOutput, call: "test")
            }
        }
        options.onChange = { _ in changes.withLock { $0 += 1 } }
        let store = MemoryStore(options)
        #expect(code { try callEverything(store) } == HostError.inputOutput)
        #expect(changes.withLock { $0 } == -1000)
    }

    @Test func `tells the time of its clock`() throws {
        let now = Mutex(Int64(100))
        var options = MemoryStore.Options()
        options.clock = { HostTime(seconds: now.withLock { $0 }, nanoseconds: 5) }
        let file = try MemoryStore(options).root.createFile("f", mode: 0o600)
        now.withLock { $0 = 200 }
        try file.write([1])
        now.withLock { $0 = 300 }
        try file.userAttributes.set("user.a", to: [1], rule: .set)
        let attributes = try file.attributes()
        #expect(attributes.accessTime == HostTime(seconds: 100, nanoseconds: 5))
        #expect(attributes.modificationTime == HostTime(seconds: 200, nanoseconds: 5))
        #expect(attributes.changeTime == HostTime(seconds: 300, nanoseconds: 5))
        now.withLock { $0 = 400 }
        _ = try file.bytes(1)
        try file.setAttributes(HostAttributeChange(mode: 0o644))
        #expect(try file.attributes().changeTime.seconds == 400)
        now.withLock { $0 = 500 }
        try file.setAttributes(
            HostAttributeChange(accessTime: .time(HostTime(7)), modificationTime: .now))
        let changed = try file.attributes()
        #expect(changed.accessTime == HostTime(7))
        #expect(changed.modificationTime == HostTime(500, 5))
        #expect(changed.changeTime == HostTime(500, 5))
        for call in [{ try file.punchHole(0..<4096) }, { try file.allocate(0..<1) }] {
            now.withLock { $0 += 100 }
            try call()
            #expect(try file.attributes().modificationTime.seconds == now.withLock { $0 })
            #expect(try file.attributes().changeTime.seconds == now.withLock { $0 })
        }
    }

    @Test func `copies are independent`() throws {
        let store = MemoryStore()
        try store.root.makeFolder("d", mode: 0o750)
        let folder = try store.root.openFolder("d")
        let file = try folder.createFile("f", mode: 0o640)
        try file.write(page(1) + page(2))
        try file.userAttributes.set("user.a", to: [3], rule: .set)
        let copy = MemoryStore(store.image())
        try file.write(page(9))
        let copied = try copy.root.openFolder("d").openFile("f", writable: true)
        #expect(try copied.allBytes() == page(1) + page(2))
        #expect(try copied.userAttributes.value(of: "user.a") == [3])
        #expect(try copied.attributes().identity == file.attributes().identity)
        #expect(try copy.root.attributes().linkCount == 3)
        try copied.write(page(8))
        #expect(try file.bytes(4096) == page(9))
        let new = try copy.root.createFile("new", mode: 0o600)
        #expect(try new.attributes().identity != file.attributes().identity)
    }

    @Test func `copies have all names and attributes`() throws {
        let store = MemoryStore()
        let root = store.root
        try root.makeFolder("d", mode: 0o750)
        let folder = try root.openFolder("d")
        try folder.userAttributes.set("user.d", to: [4], rule: .set)
        _ = try root.createFile("f", mode: 0o600)
        try root.makeLink(of: "f", in: folder, as: "g")
        try root.makeLink(of: "f", in: root, as: "h")
        try root.makeNode("n", kind: .blockDevice, mode: 0o600, device: 0x1234_5678)
        let change = HostAttributeChange(
            owner: 7, group: 8, accessTime: .time(HostTime(1, 2)),
            modificationTime: .time(HostTime(3, 4)))
        for name in ["d", "f", "n"] { try root.setAttributes(change, of: name) }
        let copy = MemoryStore(store.image()).root
        for name in ["d", "f", "h", "n"] {
            #expect(try copy.attributes(of: name) == root.attributes(of: name))
        }
        #expect(try copy.attributes(of: "f").linkCount == 3)
        #expect(try copy.openFolder("d").userAttributes.value(of: "user.d") == [4])
        try copy.removeFile("f")
        #expect(try copy.attributes(of: "h").linkCount == 2)
        #expect(try copy.openFolder("d").attributes(of: "g").linkCount == 2)
        #expect(try root.attributes(of: "h").linkCount == 3)
    }

    @Test func `lets anybody do what root may`() throws {
        let root = MemoryStore().root
        try root.makeNode("n", kind: .characterDevice, mode: 0o600, device: 5)
        try root.setAttributes(HostAttributeChange(owner: 1, group: 2), of: "n")
        #expect(try root.attributes(of: "n").owner == 1)
        let file = try root.createFile("f", mode: 0o600)
        let large = [UInt8](repeating: 1, count: 65536)
        try file.userAttributes.set("user.a", to: large, rule: .create)
        #expect(try file.userAttributes.value(of: "user.a") == large)
    }

    @Test func `takes writes from many threads`() async throws {
        let store = MemoryStore()
        let shared = try store.root.createFile("shared", mode: 0o600)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let own = try store.root.createFile("own\(worker)", mode: 0o600)
                    for index in 0..<50 {
                        try own.write(page(UInt8(worker)), at: Int64(index * 4096))
                        try shared.write(page(UInt8(worker)), at: Int64(index * 4096))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.root.names().count == 9)
        for index in 0..<50 {
            let bytes = try shared.bytes(4096, at: Int64(index * 4096))
            #expect(bytes == page(bytes[0]), "page \(index) is torn")
        }
    }
}
