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
