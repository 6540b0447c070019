internal import Synchronization

/// An inode of a memory store. It lives as long as a name or an open handle needs it.
final class MemoryNode: Sendable {
    /// What changes about an inode.
    struct State: Sendable {
        /// Mode, owner and times.
        var status: MemoryStatus
        /// How many names it has; for a folder, as Unix counts them.
        var linkCount: UInt64
        /// The `user.*` attributes.
        var attributes: [HostNameKey: [UInt8]] = [:]
        /// The bytes of a regular file.
        var content = MemoryContent()
    }

    /// Its number.
    let inode: UInt64
    /// What it is.
    let kind: HostKind
    /// A device's number, as `dev_t` has it; else 0.
    let deviceNumber: UInt64
    /// Where a symbolic link leads.
    let target: String
    /// Guards everything that changes. Taken after the namespace's lock, never before it.
    let state: Mutex<State>
    private let space: MemorySpace

    /// Makes an inode from its image, whose space is taken already.
    init(_ image: MemoryImage.Node, linkCount: UInt64, _ space: MemorySpace) {
        inode = image.inode
        kind = image.kind
        deviceNumber = image.deviceNumber
        target = image.target
        state = Mutex(
            State(
                status: image.status, linkCount: linkCount, attributes: image.attributes,
                content: image.content))
        self.space = space
    }

    deinit {
        let pageCount = state.withLock { $0.content.pageCount }
        space.give(
            MemorySpace.entryByteCount + pageCount * Int64(MemoryContent.pageByteCount))
    }

    /// The inode as a value, without a folder's entries.
    func image() -> MemoryImage.Node {
        state.withLock { state in
            MemoryImage.Node(
                inode: inode, kind: kind, status: state.status, deviceNumber: deviceNumber,
                target: target, attributes: state.attributes, content: state.content)
        }
    }

    /// Notes that a name came or went, or an attribute changed.
    func touch(_ time: HostTime, linkCountBy change: Int64 = 0, modifies: Bool = false) {
        state.withLock { state in
            state.linkCount = UInt64(Int64(state.linkCount) + change)
            state.status.touch(time, modifies: modifies)
        }
    }

    /// What `fstat(2)` would tell.
    func attributes(device: UInt64) -> HostAttributes {
        state.withLock { state in
            let status = state.status
            var attributes = HostAttributes(
                identity: HostIdentity(device: device, inode: inode), kind: kind,
                byteCount: kind == .symlink ? Int64(target.utf8.count) : state.content.byteCount,
                allocatedByteCount: state.content.pageCount * Int64(MemoryContent.pageByteCount),
                mode: status.mode, linkCount: state.linkCount, owner: status.owner,
                group: status.group, accessTime: status.accessTime,
                modificationTime: status.modificationTime, changeTime: status.changeTime)
            attributes.deviceNumber = deviceNumber
            return attributes
        }
    }

    /// Does what the attribute calls do, one after the other.
    ///
    /// - Throws: `EINVAL` for nanoseconds out of range; `EOPNOTSUPP` for the mode of a symbolic
    ///   link, whose owner is changed by then.
    func apply(_ change: HostAttributeChange, in store: MemoryStore) throws(HostError) {
        try change.check(call: "utimensat")
        var possible = change
        let refusesMode = kind == .symlink && change.mode != nil
        if refusesMode {
            possible.mode = nil
            possible.accessTime = nil
            possible.modificationTime = nil
        }
        if possible != HostAttributeChange() {
            state.withLock { state in
                state.status.apply(possible, isFolder: kind == .folder, at: store.time())
                store.didChange(.setAttributes(inode: inode, status: state.status))
            }
        }
        if refusesMode { throw HostError(code: HostError.notSupported, call: "fchmodat") }
    }
}
