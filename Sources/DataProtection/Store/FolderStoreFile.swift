/// A regular file of the host, held open.
final class FolderStoreFile: BackingFile {
    private let descriptor: HostDescriptor

    /// Takes over an open regular file.
    init(_ descriptor: consuming HostDescriptor) {
        self.descriptor = descriptor
    }

    /// Gives up the lock that was taken on the descriptor.
    func unlock() { HostSystemCalls.unlock(descriptor) }

    func attributes() throws(HostError) -> HostAttributes {
        HostAttributes(try HostSystemCalls.status(of: descriptor))
    }

    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(HostError) -> Int {
        try HostSystemCalls.read(descriptor, into: &bytes, at: offset)
    }

    func nextData(from offset: Int64) throws(HostError) -> Int64? {
        try HostSystemCalls.nextData(in: descriptor, from: offset)
    }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(HostError) {
        try HostSystemCalls.write(bytes, to: descriptor, at: offset)
    }

    func truncate(to byteCount: Int64) throws(HostError) {
        try HostSystemCalls.truncate(descriptor, to: byteCount)
    }

    func sync(everything: Bool) throws(HostError) {
        try HostSystemCalls.sync(descriptor, everything: everything)
    }

    func attribute(_ name: String) throws(HostError) -> [UInt8]? {
        do {
            return try HostSystemCalls.attribute(name, of: descriptor)
        } catch {
            switch error.code {
            case HostError.noSuchAttribute, HostError.notSupported: return nil
            default: throw error
            }
        }
    }

    func setAttribute(_ name: String, to value: [UInt8]) throws(HostError) {
        try HostSystemCalls.setAttribute(name, of: descriptor, to: value)
    }
}
