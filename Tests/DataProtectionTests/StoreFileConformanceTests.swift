import DataProtection
import TestSupport
import Testing

/// What every store does with the bytes of a file.
@Suite(.scratchFolder) struct `Every store keeps files` {
    @Test(arguments: StoreKind.allCases)
    func `what is written is read back`(_ kind: StoreKind) throws {
        let store = try kind.make()
        let file = try store.root.createFile("f", mode: 0o644)
        #expect(try file.allBytes() == [])
        try file.write([1, 2, 3, 4, 5])
        try file.write([9, 9], at: 3)
        #expect(try file.allBytes() == [1, 2, 3, 9, 9])
        #expect(try file.bytes(2, at: 4) == [9])
        #expect(try file.bytes(2, at: 5) == [])
        #expect(try file.bytes(2, at: 500) == [])
        #expect(try store.root.allBytes(of: "f") == [1, 2, 3, 9, 9])
        try file.sync(everything: false)
        try file.sync(everything: true)
        try store.root.sync()
        try store.store.syncAll()
    }

    @Test(arguments: StoreKind.allCases)
    func `a hole reads as zeros`(_ kind: StoreKind) throws {
        let file = try kind.make().root.createFile("f", mode: 0o644)
        try file.write([7], at: 1_000_000)
        #expect(try file.attributes().byteCount == 1_000_001)
        #expect(try file.attributes().allocatedByteCount < 100_000)
        #expect(try file.bytes(3, at: 500_000) == [0, 0, 0])
        #expect(try file.bytes(9, at: 999_999) == [0, 7])
        try file.write([], at: 2_000_000)
        #expect(try file.attributes().byteCount == 1_000_001)
    }

    @Test(arguments: StoreKind.allCases)
    func `what a truncate cut off does not come back`(_ kind: StoreKind) throws {
        let file = try kind.make().root.createFile("f", mode: 0o644)
        try file.write([UInt8](repeating: 5, count: 600_000))
        try file.truncate(to: 10)
        #expect(try file.allBytes() == [UInt8](repeating: 5, count: 10))
        try file.truncate(to: 600_000)
        #expect(try file.bytes(600_000).allSatisfy { $0 == 0 } == false)
        #expect(try file.bytes(600_000, at: 10).allSatisfy { $0 == 0 })
        #expect(try file.attributes().byteCount == 600_000)
        try file.truncate(to: 0)
        #expect(try file.attributes().allocatedByteCount == 0)
    }

    @Test(arguments: StoreKind.allCases, [UInt64(1), 2, 3])
    func `random writes match an array`(_ kind: StoreKind, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let file = try kind.make().root.createFile("f", mode: 0o600)
        var model: [UInt8] = []
        for step in 0..<60 {
            let offset = Int.random(in: 0...700_000, using: &generator)
            if step % 7 == 6 {
                try file.truncate(to: Int64(offset))
                if model.count > offset { model.removeLast(model.count - offset) }
                model += [UInt8](repeating: 0, count: offset - model.count)
            } else {
                let bytes = generator.bytes(Int.random(in: 1...9_000, using: &generator))
                try file.write(bytes, at: Int64(offset))
                let end = offset + bytes.count
                if model.count < end { model += [UInt8](repeating: 0, count: end - model.count) }
                model.replaceSubrange(offset..<end, with: bytes)
            }
        }
        #expect(try file.allBytes() == model, "seed \(seed)")
    }

    @Test(arguments: StoreKind.allCases)
    func `a file opened to read refuses to be written`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        _ = try root.createFile("f", mode: 0o644)
        let file = try root.openFile("f", writable: false)
        #expect(code { try file.write([1]) } == HostError.badDescriptor)
        #expect(code { try file.truncate(to: 0) } == HostError.invalidArgument)
    }

    @Test(arguments: StoreKind.allCases)
    func `an offset or size below zero is refused`(_ kind: StoreKind) throws {
        let file = try kind.make().root.createFile("f", mode: 0o644)
        let refused = HostError.invalidArgument
        #expect(code { _ = try file.bytes(1, at: -1) } == refused)
        #expect(code { try file.write([1], at: -1) } == refused)
        #expect(code { try file.truncate(to: -1) } == refused)
    }

    @Test(arguments: StoreKind.allCases)
    func `an open file without a name keeps working`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        let file = try root.createFile("f", mode: 0o644)
        try file.write([1, 2])
        try root.removeFile("f")
        try file.write([3], at: 2)
        #expect(try file.allBytes() == [1, 2, 3])
        #expect(try file.attributes().linkCount == 0)
        let other = try root.createFile("f", mode: 0o644)
        #expect(try other.attributes().identity != file.attributes().identity)
        #expect(try other.allBytes() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `attributes of a file are set and read`(_ kind: StoreKind) throws {
        let store = try kind.make()
        let file = try store.root.createFile("f", mode: 0o644)
        let isAble = try store.store.capabilities().hasAttributes
        #expect(try file.userAttributes.value(of: "user.seal.hint") == nil)
        guard isAble else { return }
        try file.userAttributes.set("user.seal.hint", to: [1, 0, 2], rule: .set)
        #expect(try file.userAttributes.value(of: "user.seal.hint") == [1, 0, 2])
        let long = [UInt8](repeating: 7, count: 1000)
        try file.userAttributes.set("user.seal.hint", to: long, rule: .set)
        #expect(try file.userAttributes.value(of: "user.seal.hint") == long)
        try file.userAttributes.set("user.seal.hint", to: [], rule: .set)
        #expect(try file.userAttributes.value(of: "user.seal.hint") == [])
        #expect(
            code { try file.userAttributes.set("seal.hint", to: [1], rule: .set) }
                == HostError.notSupported)
        #expect(try file.userAttributes.value(of: "seal.hint") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `attributes tell kind, size, mode and owner`(_ kind: StoreKind) throws {
        let store = try kind.make()
        #expect(try store.store.capabilities().blockByteCount >= 4096)
        let file = try store.root.createFile("f", mode: 0o640)
        let before = try file.attributes()
        try file.write([UInt8](repeating: 1, count: 5000))
        let after = try store.root.attributes(of: "f")
        #expect(after.identity == before.identity)
        #expect(after.kind == .regular)
        #expect(after.byteCount == 5000)
        #expect(after.mode == 0o640)
        #expect(after.linkCount == 1)
        #expect(after.owner == (try store.root.attributes().owner))
        #expect(after.modificationTime >= before.modificationTime)
        #expect(after.changeTime >= after.modificationTime)
        try file.sync(everything: true)
        #expect(try file.attributes().allocatedByteCount >= 5000)
        #expect(try store.root.attributes().kind == .folder)
    }
}
