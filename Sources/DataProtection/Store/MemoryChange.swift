/// One change of a memory store, told while it happens: what a disk would be asked to keep.
package enum MemoryChange: Sendable {
    /// A new entry, of any kind.
    case create(folder: UInt64, name: String, node: MemoryImage.Node)
    /// An entry gone.
    case remove(folder: UInt64, name: String, time: HostTime)
    /// An entry renamed, replaced or exchanged.
    case rename(
        folder: UInt64, name: String, newFolder: UInt64, newName: String, isExchange: Bool,
        time: HostTime)
    /// New permission bits.
    case setMode(inode: UInt64, mode: UInt32, time: HostTime)
    /// A new attribute value.
    case setAttribute(inode: UInt64, name: String, value: [UInt8], time: HostTime)
    /// A file cut or extended to this size, in bytes.
    case truncate(inode: UInt64, byteCount: Int64, time: HostTime)
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
