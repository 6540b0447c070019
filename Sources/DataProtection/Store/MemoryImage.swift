/// All that a memory store holds, as a value: what a power cut leaves, or a copy to begin from.
package struct MemoryImage: Sendable {
    /// One inode of an image.
    package struct Node: Sendable {
        /// Its number.
        package var inode: UInt64
        /// What it is.
        package var kind: HostKind
        /// Permission bits.
        package var mode: UInt32
        /// When it was made.
        package var accessTime: HostTime
        /// When its content last changed.
        package var modificationTime: HostTime
        /// When anything about it last changed.
        package var changeTime: HostTime
        /// Where a symbolic link leads.
        package var target = ""
        /// The `user.*` attributes.
        package var attributes: [String: [UInt8]] = [:]
        /// The bytes of a regular file.
        package var content = MemoryContent()
        /// The entries of a folder, by name.
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
