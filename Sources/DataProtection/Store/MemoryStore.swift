internal import Synchronization

/// A backing store in memory, for tests and for measurements without a disk.
///
/// It behaves as a Linux file system of 4096-byte blocks does: unlinked open files keep working, a
/// full disk says so, and error numbers are the kernel's. Nobody is refused for want of a right:
/// whoever has the store may do what root may. It is safe to use from any thread: one
/// lock guards all names, and one each file.
///
/// Reads and writes cost a `memcpy`. Only growing into memory that the process never had before
/// costs the kernel's page faults as well, which are slower: measure on a file that was written
/// once.
package final class MemoryStore: BackingStore {
    /// Called before each operation, on the thread that makes it; what it throws is what the
    /// operation throws. It may call the store.
    package typealias CallHook = @Sendable (HostCall) throws(HostError) -> Void
    /// Called after each change, under the lock of what changed, so that changes of one file come
    /// in their order. It must not call the store.
    package typealias ChangeHook = @Sendable (MemoryChange) -> Void

    /// How a store is set up.
    package struct Options: Sendable {
        /// The size of the disk, in bytes; `nil` for one without end. Each entry and the top folder
        /// take 256 bytes, each page of a file that was written or set aside 4096.
        package var byteLimit: Int64?
        /// What `capabilities()` tells of the block size, in bytes.
        package var blockByteCount = MemoryContent.pageByteCount
        /// Whether files can carry `user.*` attributes.
        package var hasAttributes = true
        /// Tells the time; the host's clock when it is `nil`.
        package var clock: (@Sendable () -> HostTime)?
        /// Called before each operation.
        package var onCall: CallHook?
        /// Called after each change.
        package var onChange: ChangeHook?

        /// A disk without end or faults, that can carry attributes.
        package init() {}
    }

    /// The setup.
    package let options: Options
    /// The device number of all inodes: another one for each store that starts empty.
    let device: UInt64
    /// Whose everything is that is made in this store: this process's user and group.
    let owner = HostSystemCalls.userNumber()
    let group = HostSystemCalls.groupNumber()
    let usedSpace: MemorySpace
    let namespace: Mutex<MemoryNamespace>
    let top: MemoryNode
    private let isOwned = Mutex(false)
    private static let devices = Atomic<UInt64>(1)

    package var root: any BackingFolder { MemoryStoreFolder(top, in: self, name: ".") }

    /// Makes an empty store.
    package convenience init(_ options: Options = Options()) {
        let time = Self.time(options)
        let (_, device) = Self.devices.add(1, ordering: .relaxed)
        let root = MemoryImage.Node(
            inode: 2, kind: .folder,
            status: MemoryStatus(
                mode: 0o755, owner: HostSystemCalls.userNumber(),
                group: HostSystemCalls.groupNumber(), time: time))
        self.init(
            MemoryImage(device: device, nextInode: 3, root: 2, nodes: [2: root]), options)
    }

    /// Makes a store that holds what an image holds.
    package init(_ image: MemoryImage, _ options: Options = Options()) {
        self.options = options
        device = image.device
        usedSpace = MemorySpace(byteLimit: options.byteLimit)
        let (namespace, top) = Self.build(image, usedSpace)
        self.namespace = Mutex(namespace)
        self.top = top
    }

    package func acquireOwnership() throws(HostError) {
        try willCall(.acquireOwnership, ".")
        try isOwned.withLock { (isOwned) throws(HostError) in
            if isOwned { throw HostError(code: HostError.wouldBlock, call: "flock") }
            isOwned = true
        }
    }

    package func releaseOwnership() {
        isOwned.withLock { $0 = false }
    }

    package func syncAll() throws(HostError) {
        try willCall(.syncAll, ".")
        namespace.withLock { _ in didChange(.syncAll) }
    }

    package func capabilities() throws(HostError) -> HostCapabilities {
        try willCall(.capabilities, ".")
        return HostCapabilities(
            blockByteCount: options.blockByteCount, hasAttributes: options.hasAttributes)
    }

    package func space() throws(HostError) -> HostSpace {
        try willCall(.space, ".")
        return usedSpace.status()
    }

    /// How many bytes are in use, on a disk that has an end; else 0.
    package var usedByteCount: Int64 { usedSpace.usedByteCount }

    /// Makes a disk that has an end larger or smaller; what is in use stays, even if it is more.
    package func setByteLimit(_ byteLimit: Int64) {
        usedSpace.setByteLimit(byteLimit)
    }

    /// Lets the hook see, and fail, an operation.
    func willCall(_ operation: HostCall.Operation, _ name: String) throws(HostError) {
        if let onCall = options.onCall { try onCall(HostCall(operation, name)) }
    }

    /// Tells the other hook what changed.
    func didChange(_ change: @autoclosure () -> MemoryChange) {
        if let onChange = options.onChange { onChange(change()) }
    }

    /// The time on this store's clock.
    func time() -> HostTime {
        Self.time(options)
    }

    private static func time(_ options: Options) -> HostTime {
        options.clock?() ?? HostSystemCalls.currentTime()
    }
}
