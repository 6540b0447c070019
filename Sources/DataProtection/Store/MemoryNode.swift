internal import Synchronization

/// An inode of a memory store. It lives as long as a name or an open handle needs it.
final class MemoryNode: Sendable {
    /// What changes about an inode.
    struct State: Sendable {
        /// Permission bits.
        var mode: UInt32
        /// How many names it has; for a folder, as Unix counts them.
        var linkCount: UInt64
        /// When it was made, as nothing here counts reads.
        var accessTime: HostTime
        /// When its content last changed.
        var modificationTime: HostTime
        /// When anything about it last changed.
        var changeTime: HostTime
        /// The `user.*` attributes.
        var attributes: [String: [UInt8]] = [:]
        /// The bytes of a regular file.
        var content = MemoryContent()
    }

    /// Its number.
    let inode: UInt64
    /// What it is.
    let kind: HostKind
    /// Where a symbolic link leads.
    let target: String
    /// Guards everything that changes. Taken after the namespace's lock, never before it.
    let state: Mutex<State>
    private let space: MemorySpace

    /// Makes an inode whose space is taken already.
    init(inode: UInt64, kind: HostKind, target: String, state: State, space: MemorySpace) {
        self.inode = inode
        self.kind = kind
        self.target = target
        self.state = Mutex(state)
        self.space = space
    }

    deinit {
        let pageCount = state.withLock { $0.content.pageCount }
        space.give(
            MemorySpace.entryByteCount + pageCount * Int64(MemoryContent.pageByteCount))
    }

    /// Notes that a name came or went, or an attribute changed.
    func touch(_ time: HostTime, linkCountBy change: Int64 = 0, modifies: Bool = false) {
        state.withLock { state in
            state.linkCount = UInt64(Int64(state.linkCount) + change)
            state.changeTime = time
            if modifies { state.modificationTime = time }
        }
    }

    /// What `fstat(2)` would tell.
    func attributes(device: UInt64) -> HostAttributes {
        state.withLock { state in
            HostAttributes(
                identity: HostIdentity(device: device, inode: inode), kind: kind,
                byteCount: kind == .symlink ? Int64(target.utf8.count) : state.content.byteCount,
                allocatedByteCount: state.content.pageCount * Int64(MemoryContent.pageByteCount),
                mode: state.mode, linkCount: state.linkCount,
                owner: HostSystemCalls.userNumber(), group: HostSystemCalls.groupNumber(),
                accessTime: state.accessTime, modificationTime: state.modificationTime,
                changeTime: state.changeTime)
        }
    }
}
