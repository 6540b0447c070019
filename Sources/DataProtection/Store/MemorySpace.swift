internal import Synchronization

/// How much of a memory store's disk is used.
final class MemorySpace: Sendable {
    /// What one entry occupies, in bytes, as an inode of ext4 does.
    static let entryByteCount: Int64 = 256

    /// The size of the disk, in bytes; `nil` for one without end.
    private let byteLimit: Int64?
    private let used = Mutex<Int64>(0)

    /// Makes an empty disk.
    init(byteLimit: Int64?) {
        self.byteLimit = byteLimit
    }

    /// Takes as many units as there is room for.
    ///
    /// - Returns: how many were taken, at most `count`.
    func take(upTo count: Int64, of unitByteCount: Int64) -> Int64 {
        guard let byteLimit, count > 0 else { return count }
        return used.withLock { used in
            let taken = max(0, min(count, (byteLimit - used) / unitByteCount))
            used += taken * unitByteCount
            return taken
        }
    }

    /// Takes all of so many units, or nothing.
    ///
    /// - Returns: whether there was room for them.
    func takeAll(_ count: Int64, of unitByteCount: Int64) -> Bool {
        guard let byteLimit, count > 0 else { return true }
        return used.withLock { used in
            guard count <= (byteLimit - used) / unitByteCount else { return false }
            used += count * unitByteCount
            return true
        }
    }

    /// What there is, and what is left. A disk without end looks as large as its largest file may
    /// be, and empty.
    func status() -> HostSpace {
        let total = byteLimit ?? MemoryContent.byteCountLimit
        let left = max(0, total - used.withLock { $0 })
        let blockByteCount = Int64(MemoryContent.pageByteCount)
        return HostSpace(
            blockByteCount: blockByteCount, blockCount: total / blockByteCount,
            freeBlockCount: left / blockByteCount, availableBlockCount: left / blockByteCount,
            inodeCount: total / Self.entryByteCount, freeInodeCount: left / Self.entryByteCount)
    }

    /// Takes space whether or not there is any: for what exists already.
    func claim(_ byteCount: Int64) {
        if byteLimit != nil { used.withLock { $0 += byteCount } }
    }

    /// Gives space back.
    func give(_ byteCount: Int64) {
        if byteLimit != nil { used.withLock { $0 -= byteCount } }
    }
}
