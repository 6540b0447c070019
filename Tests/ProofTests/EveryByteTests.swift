import DataProtection
import TestSupport
import Testing

@Suite("Every byte")
struct EveryByteTests {
    private static let content = [UInt8]((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 31) })

    /// A volume that was closed cleanly, with one file of two pages.
    private func made(_ device: DeviceKey) throws -> (MemoryImage, file: String) {
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store, configuration: VolumeConfiguration(), passcode: nil, deviceKey: device)
        try volume.write(Self.content, to: "a", class: .complete)
        try volume.close()
        let name = try #require(store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        return (store.image(), name)
    }

    private func flipped(_ image: MemoryImage, _ name: String, _ offset: Int64) throws
        -> MemoryStore
    {
        let store = MemoryStore(image)
        let file = try store.root.openFile(name, writable: true)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        _ = try file.read(into: &span, at: offset)
        try file.write([byte[0] ^ UInt8(1 << (offset % 8))].span, at: offset)
        return store
    }

    @Test func `of a file's pages, flipped, is found to be damage`() throws {
        let device = try DeviceKey.inMemory()
        let (image, name) = try made(device)
        var found = 0
        for offset in 0..<Int64(8192) {
            let store = try flipped(image, name, offset)
            let volume = try ProtectedVolume.open(store, deviceKey: device)
            do {
                let bytes = try volume.read("a")
                Issue.record("byte \(offset): read \(bytes == Self.content ? "right" : "WRONG")")
            } catch {
                #expect(error.code == .damaged, "byte \(offset)")
                found += 1
            }
            try volume.close()
        }
        #expect(found == 8192)
    }

    @Test func `of one keybag, flipped, is said, and the other opens the volume`() throws {
        let device = try DeviceKey.inMemory()
        let (image, _) = try made(device)
        for name in [".keybag-1", ".keybag-2"] {
            for offset in 0..<Int64(4096) {
                let store = try flipped(image, name, offset)
                let volume = try ProtectedVolume.open(store, deviceKey: device)
                #expect(volume.openingNotes.contains { $0.contains(name) }, "byte \(offset)")
                #expect(try volume.read("a") == Self.content)
                try volume.close()
            }
        }
    }

    @Test func `of the marker, flipped, excuses nothing`() throws {
        let device = try DeviceKey.inMemory()
        let (image, _) = try made(device)
        for offset in 0..<Int64(80) {
            let store = try flipped(image, ".marker", offset)
            let volume = try ProtectedVolume.open(store, deviceKey: device)
            #expect(!volume.wasUnclean && volume.openingNotes.contains { $0.contains(".marker") })
            #expect(try volume.read("a") == Self.content)
            try volume.close()
        }
    }
}
