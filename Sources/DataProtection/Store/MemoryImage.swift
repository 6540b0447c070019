/// All that a memory store holds, as a value: what a power cut leaves, or a copy to begin from.
package struct MemoryImage: Sendable {
    /// One inode of an image.
    package struct Node: Sendable {
        /// Its number.
        package var inode: UInt64
        /// What it is.
        package var kind: HostKind
        /// Mode, owner and times.
        package var status: MemoryStatus
        /// A device's number, as `dev_t` has it; else 0.
        package var deviceNumber: UInt64 = 0
        /// Where a symbolic link leads.
        package var target = ""
        /// The `user.*` attributes.
        package var attributes: [HostNameKey: [UInt8]] = [:]
        /// The bytes of a regular file.
        package var content = MemoryContent()
        /// The entries of a folder, by name. A file has as many names as there are entries with
        /// its number.
        package var entries: [HostNameKey: UInt64] = [:]
    }

    /// The device number that all inodes share.
    package var device: UInt64
    /// The number the next inode gets. Numbers are never used again.
    package var nextInode: UInt64
    /// The top folder's inode.
    package var root: UInt64
    /// All inodes that have a name, and the top folder.
    package var nodes: [UInt64: Node]
}

extension MemoryImage {
    /// How many names each inode has.
    package func nameCounts() -> [UInt64: UInt64] {
        var counts: [UInt64: UInt64] = [:]
        for node in nodes.values {
            for inode in node.entries.values { counts[inode, default: 0] += 1 }
        }
        return counts
    }
}
