internal import Synchronization

/// How much of a memory store's disk is used.
final class MemorySpace: Sendable {
    /// What one entry occupies, in bytes, as an inode of ext4 does.
    static let entryByteCount: Int64 = 256

    private struct State {
        var used: Int64 = 0
        /// The size of the disk, in bytes.
        var byteLimit: Int64
    }

    /// Whether the disk has an end; without one nothing is counted.
    private let isLimited: Bool
    private let state: Mutex<State>

    /// Makes an empty disk.
    init(byteLimit: Int64?) {
        isLimited = byteLimit != nil
        state = Mutex(State(byteLimit: byteLimit ?? MemoryContent.byteCountLimit))
    }

    /// How many bytes are in use, on a disk that has an end.
    var usedByteCount: Int64 { state.withLock { $0.used } }

    /// Makes a disk that has an end larger or smaller; what is in use stays.
    func setByteLimit(_ byteLimit: Int64) {
        precondition(isLimited, "A disk without end has no other size.")
        state.withLock { $0.byteLimit = byteLimit }
    }

    /// Takes as many units as there is room for.
    ///
    /// - Returns: how many were taken, at most `count`.
    func take(upTo count: Int64, of unitByteCount: Int64) -> Int64 {
        guard isLimited, count > 0 else { return count }
        return state.withLock { state in
            let left = state.byteLimit - state.used
            let taken = max(0, min(count, left / unitByteCount))
            state.used += taken * unitByteCount
            return taken
        }
    }

    /// Takes all of so many units, or nothing.
    ///
    /// - Returns: whether there was room for them.
    func takeAll(_ count: Int64, of unitByteCount: Int64) -> Bool {
        guard isLimited, count > 0 else { return true }
        return state.withLock { state in
            guard count <= (state.byteLimit - state.used) / unitByteCount else { return false }
            state.used += count * unitByteCount
            return true
        }
    }

    /// What there is, and what is left. A disk without end looks as large as its largest file may
    /// be, and empty.
    func status() -> HostSpace {
        let (total, used) = state.withLock { ($0.byteLimit, $0.used) }
        let left = max(0, total - used)
        let blockByteCount = Int64(MemoryContent.pageByteCount)
        return HostSpace(
            blockByteCount: blockByteCount, blockCount: total / blockByteCount,
            freeBlockCount: left / blockByteCount, availableBlockCount: left / blockByteCount,
            inodeCount: total / Self.entryByteCount, freeInodeCount: left / Self.entryByteCount)
    }

    /// Takes space whether or not there is any: for what exists already.
    func claim(_ byteCount: Int64) {
        if isLimited { state.withLock { $0.used += byteCount } }
    }

    /// Gives space back.
    func give(_ byteCount: Int64) {
        if isLimited { state.withLock { $0.used -= byteCount } }
    }
}
