/// A regular file of the host, held open.
final class FolderStoreFile: BackingFile, FolderStoreEntry {
    let descriptor: HostDescriptor

    /// Takes over an open regular file.
    init(_ descriptor: consuming HostDescriptor) {
        self.descriptor = descriptor
    }

    /// Gives up the lock that was taken on the descriptor.
    func unlock() { HostSystemCalls.unlock(descriptor) }

    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(HostError) -> Int {
        try HostSystemCalls.read(descriptor, into: &bytes, at: offset)
    }

    func nextData(from offset: Int64) throws(HostError) -> Int64? {
        try HostSystemCalls.nextData(in: descriptor, from: offset)
    }

    func nextHole(from offset: Int64) throws(HostError) -> Int64? {
        try HostSystemCalls.nextHole(in: descriptor, from: offset)
    }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(HostError) {
        try HostSystemCalls.write(bytes, to: descriptor, at: offset)
    }

    func punchHole(_ range: Range<Int64>) throws(HostError) {
        try HostRange.check(hole: range)
        if range.isEmpty { return }
        try HostSystemCalls.allocate(range, of: descriptor, asHole: true)
    }

    func allocate(_ range: Range<Int64>) throws(HostError) {
        try HostRange.check(range)
        if range.isEmpty { return }
        try HostSystemCalls.allocate(range, of: descriptor, asHole: false)
    }

    func truncate(to byteCount: Int64) throws(HostError) {
        try HostSystemCalls.truncate(descriptor, to: byteCount)
    }

    func sync(everything: Bool) throws(HostError) {
        try HostSystemCalls.sync(descriptor, everything: everything)
    }
}
