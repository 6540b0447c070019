internal import DataProtection

/// What the journal does to a disk: names, modes, attributes, times.
///
/// The changes happened once, so nothing here can fail.
extension MemoryImage {
    /// Does what the journal says, without what concerns the bytes of files.
    mutating func apply(_ change: MemoryChange) {
        switch change {
        case .create(let folder, let name, let node):
            nodes[node.inode] = node
            nextInode = max(nextInode, node.inode + 1)
            setEntry(name, of: folder, to: node.inode, node.changeTime)
        case .remove(let folder, let name, let time):
            let inode = nodes[folder]?.entries[HostNameKey(name)]
            setEntry(name, of: folder, to: nil, time)
            if let inode { nodes[inode] = nil }
        case .rename(let folder, let name, let newFolder, let newName, let isExchange, let time):
            let moved = nodes[folder]?.entries[HostNameKey(name)]
            let existing = nodes[newFolder]?.entries[HostNameKey(newName)]
            setEntry(name, of: folder, to: isExchange ? existing : nil, time)
            setEntry(newName, of: newFolder, to: moved, time)
            if let moved { nodes[moved]?.changeTime = time }
            if let existing {
                if isExchange { nodes[existing]?.changeTime = time } else { nodes[existing] = nil }
            }
        case .setMode(let inode, let mode, let time):
            nodes[inode]?.mode = mode
            nodes[inode]?.changeTime = time
        case .setAttribute(let inode, let name, let value, let time):
            nodes[inode]?.attributes[name] = value
            nodes[inode]?.changeTime = time
        case .truncate(let inode, _, let time), .write(let inode, _, _, let time):
            nodes[inode]?.modificationTime = time
            nodes[inode]?.changeTime = time
        case .syncFile, .syncFolder, .syncAll:
            break
        }
    }

    private mutating func setEntry(
        _ name: String, of folder: UInt64, to inode: UInt64?, _ time: HostTime
    ) {
        nodes[folder]?.entries[HostNameKey(name)] = inode
        nodes[folder]?.modificationTime = time
        nodes[folder]?.changeTime = time
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
