/// Where a volume's host files live: a folder of the host, or memory.
///
/// This is the seam where tests cut the power, fill the disk and count calls. Everything above it
/// sees host files that hold only ciphertext; nothing above it makes a system call.
package protocol BackingStore: AnyObject, Sendable {
    /// The volume's top folder.
    var root: any BackingFolder { get }

    /// Takes the volume for this process, until `releaseOwnership()` or the process's end.
    ///
    /// - Throws: `EWOULDBLOCK` when another process or another store of this one owns it, and when
    ///   it was taken through this store already.
    func acquireOwnership() throws(HostError)

    /// Gives up what `acquireOwnership()` took; does nothing when it was not taken.
    func releaseOwnership()

    /// Makes everything written so far durable. The corresponding C function is `syncfs`.
    func syncAll() throws(HostError)

    /// What the host can do.
    func capabilities() throws(HostError) -> HostCapabilities

    /// How full the host is. The corresponding C function is `fstatvfs`.
    func space() throws(HostError) -> HostSpace
}

/// What a host file system offers, as far as the volume's promises depend on it.
package struct HostCapabilities: Sendable, Equatable {
    /// The unit in which the host allocates and writes, in bytes. Pages need at least 4096.
    package var blockByteCount: Int
    /// Whether files can carry `user.*` attributes.
    package var hasAttributes: Bool

    /// Describes a host.
    package init(blockByteCount: Int, hasAttributes: Bool) {
        self.blockByteCount = blockByteCount
        self.hasAttributes = hasAttributes
    }
}

/// How full a host file system is. See: 'man 3 fstatvfs'.
package struct HostSpace: Sendable, Equatable {
    /// The unit of the block counts, in bytes.
    package var blockByteCount: Int64
    /// How many blocks there are.
    package var blockCount: Int64
    /// How many are free.
    package var freeBlockCount: Int64
    /// How many of them an ordinary user may fill.
    package var availableBlockCount: Int64
    /// How many inodes there can be; 0 when the host does not count them.
    package var inodeCount: Int64
    /// How many are free.
    package var freeInodeCount: Int64

    /// Describes a host's space.
    package init(
        blockByteCount: Int64, blockCount: Int64, freeBlockCount: Int64,
        availableBlockCount: Int64, inodeCount: Int64, freeInodeCount: Int64
    ) {
        self.blockByteCount = blockByteCount
        self.blockCount = blockCount
        self.freeBlockCount = freeBlockCount
        self.availableBlockCount = availableBlockCount
        self.inodeCount = inodeCount
        self.freeInodeCount = freeInodeCount
    }
}
