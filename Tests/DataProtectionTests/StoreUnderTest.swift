import DataProtection
import SimulatedDevice
import Testing

/// The stores that must behave alike.
enum StoreKind: String, CaseIterable, Sendable {
    case folder, memory, crashing

    /// Makes an empty store of this kind; one in a folder needs the trait `.scratchFolder`.
    func make() throws -> StoreUnderTest {
        switch self {
        case .folder:
            let folder = try #require(StoreScratchTrait.folder)
            return StoreUnderTest(store: try FolderStore(path: folder.path))
        case .memory: return StoreUnderTest(store: MemoryStore())
        case .crashing: return StoreUnderTest(store: CrashingStore())
        }
    }
}

/// A store of any kind.
struct StoreUnderTest {
    let store: any BackingStore

    var root: any BackingFolder { store.root }
}

extension BackingFile {
    /// Reads some bytes.
    func bytes(_ count: Int, at offset: Int64 = 0) throws(HostError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: count)
        var span = bytes.mutableSpan
        let read = try read(into: &span, at: offset)
        return Array(bytes[..<read])
    }

    /// Reads all.
    func allBytes() throws(HostError) -> [UInt8] {
        try bytes(Int(try attributes().byteCount))
    }

    /// Writes an array.
    func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(HostError) {
        try write(bytes.span, at: offset)
    }
}

extension BackingFolder {
    /// Reads all of a file.
    func allBytes(of name: String) throws(HostError) -> [UInt8] {
        try openFile(name, writable: false).allBytes()
    }

    /// The names of all entries but the lock, in order.
    func names() throws(HostError) -> [String] {
        try list().map(\.name).filter { $0 != ReservedName.lock }.sorted()
    }

    /// Changes an entry's permission bits.
    func setMode(_ mode: UInt32, of name: String) throws(HostError) {
        var change = HostAttributeChange()
        change.mode = mode
        try setAttributes(change, of: name)
    }

    /// Whether there is an entry of this name.
    func has(_ name: String) throws(HostError) -> Bool {
        try names().contains(name)
    }
}

/// The host's error number that a call fails with; `nil` when it does not fail, or not so.
func code(of call: () throws -> Void) -> Int32? {
    do {
        try call()
        return nil
    } catch {
        return (error as? HostError)?.code
    }
}

/// A page full of one byte.
func page(_ byte: UInt8) -> [UInt8] {
    [UInt8](repeating: byte, count: MemoryContent.pageByteCount)
}
