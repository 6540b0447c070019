/// How full the host is, as a volume sees it.
public struct VolumeSpace: Sendable, Hashable {
    /// The unit of the block counts, in bytes.
    public let blockByteCount: Int64
    /// How many blocks there are.
    public let blockCount: Int64
    /// How many are free.
    public let freeBlockCount: Int64
    /// How many of them an ordinary user may fill.
    public let availableBlockCount: Int64
    /// How many files there can be; 0 when the host does not count them.
    public let inodeCount: Int64
    /// How many more there can be.
    public let freeInodeCount: Int64
}

extension ProtectedVolume {
    /// How full the host file system is. The corresponding C function is `statvfs`.
    ///
    /// Encryption takes 44 bytes of each 4096, and every file at least 4096.
    /// - Throws: `closed`, `host`.
    public func space() throws(ProtectionError) -> VolumeSpace {
        try core.requireOpen()
        let space = try onHost { () throws(HostError) in try core.store.space() }
        return VolumeSpace(space)
    }
}

extension VolumeSpace {
    init(_ host: HostSpace) {
        self.init(
            blockByteCount: host.blockByteCount, blockCount: host.blockCount,
            freeBlockCount: host.freeBlockCount, availableBlockCount: host.availableBlockCount,
            inodeCount: host.inodeCount, freeInodeCount: host.freeInodeCount)
    }
}
