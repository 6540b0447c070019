import DataProtection
import SimulatedDevice
import TestSupport
import Testing

/// Power cuts and `ftruncate`, which the journal orders with names but not with pages.
@Suite struct `A power cut and a truncate` {
    private func makeStore(_ bytes: [UInt8]) throws -> (CrashingStore, any BackingFile) {
        let store = CrashingStore()
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(bytes)
        try file.sync(everything: true)
        return (store, file)
    }

    private func all(_ store: CrashingStore) throws -> Set<String> {
        let cuts = store.possibleCuts()
        return Set(
            try (0..<cuts.count).map { number in
                let bytes = try store.cut(.numbered(number)).root.allBytes(of: "f")
                return stride(from: 0, to: bytes.count, by: 4096).map { "\(bytes[$0])" }.joined()
            })
    }

    @Test func `a truncate is lost or kept`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try file.truncate(to: 4096)
        #expect(try all(store) == ["11", "1"])
    }

    @Test func `pages written after a lost truncate are lost with it`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try file.truncate(to: 0)
        try file.write(page(2))
        #expect(try all(store) == ["11", "", "0", "2"])
    }

    @Test func `pages written before a lost truncate may be kept`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try file.write(page(2), at: 4096)
        try file.truncate(to: 4096)
        try file.write(page(3), at: 4096)
        #expect(try all(store) == ["11", "12", "1", "10", "13"])
    }

    @Test func `an extension shows zeros, and data only if it is kept`() throws {
        let (store, file) = try makeStore(page(1))
        try file.truncate(to: 8192)
        try file.write(page(2), at: 4096)
        #expect(try all(store) == ["1", "10", "12"])
    }

    @Test func `what was cut off does not come back when the file grows`() throws {
        let (store, file) = try makeStore(page(1) + page(2))
        try file.truncate(to: 4096)
        try file.sync(everything: false)
        try file.write(page(3), at: 8192)
        #expect(try all(store) == ["1", "100", "103"])
    }

    @Test func `a cut inside a page clears its end`() throws {
        let (store, file) = try makeStore(page(1))
        try file.truncate(to: 100)
        try file.truncate(to: 4096)
        try file.sync(everything: false)
        let left = try store.cut(.nothingUnsynced).root.allBytes(of: "f")
        #expect(left == page(1).prefix(100) + [UInt8](repeating: 0, count: 3996))
    }

    @Test func `another file's sync keeps a truncate, but not the pages after it`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try file.truncate(to: 0)
        try file.write(page(2))
        try store.root.createFile("g", mode: 0o600).sync(everything: false)
        #expect(try all(store) == ["", "0", "2"])
    }
}
