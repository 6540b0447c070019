internal import DataProtection

/// What the journal does to a disk: names, modes, attributes, times.
///
/// The changes happened once, so nothing here can fail. An inode whose last name goes stays until
/// `dropNameless()`, because only then it is certain that it has no other.
extension MemoryImage {
    /// Does what the journal says, without what concerns the bytes of files.
    mutating func apply(_ change: MemoryChange) {
        switch change {
        case .create(let folder, let name, let node):
            nodes[node.inode] = node
            nextInode = max(nextInode, node.inode + 1)
            setEntry(name, of: folder, to: node.inode, node.status.changeTime)
        case .link(let folder, let name, let inode, let time):
            setEntry(name, of: folder, to: inode, time)
            nodes[inode]?.status.touch(time)
        case .remove(let folder, let name, let time):
            let inode = nodes[folder]?.entries[HostNameKey(name)]
            setEntry(name, of: folder, to: nil, time)
            if let inode { nodes[inode]?.status.touch(time) }
        case .rename(let folder, let name, let newFolder, let newName, let isExchange, let time):
            let moved = nodes[folder]?.entries[HostNameKey(name)]
            let existing = nodes[newFolder]?.entries[HostNameKey(newName)]
            setEntry(name, of: folder, to: isExchange ? existing : nil, time)
            setEntry(newName, of: newFolder, to: moved, time)
            for inode in [moved, existing].compactMap(\.self) { nodes[inode]?.status.touch(time) }
        case .setAttributes(let inode, let status):
            nodes[inode]?.status = status
        case .setUserAttribute(let inode, let name, let value, let time):
            nodes[inode]?.attributes[HostNameKey(name)] = value
            nodes[inode]?.status.touch(time)
        case .truncate(let inode, _, let time), .punchHole(let inode, _, let time),
            .write(let inode, _, _, let time):
            nodes[inode]?.status.touch(time, modifies: true)
        case .syncFile, .syncFolder, .syncAll:
            break
        }
    }

    /// Removes the inodes that have no name any more.
    mutating func dropNameless() {
        let counts = nameCounts()
        nodes = nodes.filter { $0.key == root || counts[$0.key] != nil }
    }

    private mutating func setEntry(
        _ name: String, of folder: UInt64, to inode: UInt64?, _ time: HostTime
    ) {
        nodes[folder]?.entries[HostNameKey(name)] = inode
        nodes[folder]?.status.touch(time, modifies: true)
    }
}

extension MemoryChange {
    /// Whether the journal keeps this, other than as a time.
    var isJournaled: Bool {
        switch self {
        case .write, .syncFile, .syncFolder, .syncAll: false
        default: true
        }
    }
}
