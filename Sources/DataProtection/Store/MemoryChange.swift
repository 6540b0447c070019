/// One change of a memory store, told while it happens: what a disk would be asked to keep.
package enum MemoryChange: Sendable {
    /// A new entry, of any kind.
    case create(folder: UInt64, name: String, node: MemoryImage.Node)
    /// Another name for an inode that has one.
    case link(folder: UInt64, name: String, inode: UInt64, time: HostTime)
    /// A name gone, and with the last one the entry.
    case remove(folder: UInt64, name: String, time: HostTime)
    /// An entry renamed, replaced or exchanged.
    case rename(
        folder: UInt64, name: String, newFolder: UInt64, newName: String, isExchange: Bool,
        time: HostTime)
    /// A new mode, owner, or times: all of them as they stand now.
    case setAttributes(inode: UInt64, status: MemoryStatus)
    /// A new value of a `user.*` attribute; `nil` for one that was taken away.
    case setUserAttribute(inode: UInt64, name: String, value: [UInt8]?, time: HostTime)
    /// A file cut or extended to this size, in bytes.
    case truncate(inode: UInt64, byteCount: Int64, time: HostTime)
    /// Pages, by number, that became a hole.
    case punchHole(inode: UInt64, pages: Range<Int64>, time: HostTime)
    /// Pages as they stand after a write, and the file's size after it, in bytes.
    case write(inode: UInt64, pages: [MemoryPage], byteCount: Int64, time: HostTime)
    /// A file made durable, and with `everything` its attributes too.
    case syncFile(inode: UInt64, everything: Bool)
    /// A folder made durable.
    case syncFolder(inode: UInt64)
    /// Everything made durable.
    case syncAll
}

/// One page of a file.
package struct MemoryPage: Sendable {
    /// Which page, from 0.
    package var index: Int64
    /// Its bytes: 4096, or fewer where the file ends.
    package var bytes: [UInt8]
}
