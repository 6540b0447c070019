internal import DataProtection
internal import Synchronization

/// The locks between connections. While the volume's lock state seals the database, none is given:
/// SQLite then begins no transaction, and serves nothing that it still has in its cache.
extension OpenFile {
    /// Takes a stronger lock on the database.
    ///
    /// - Returns: whether nobody was in the way.
    func lock(_ wanted: LockLevel) throws(ProtectionError) -> Bool {
        guard let record else { return true }
        let present = withState { $0.level }
        if present == .none { try takeFault(record) }
        try file.requireUsable()
        let reached = record.withState { $0.raise(owner, from: present, to: wanted) }
        withState { $0.level = reached }
        return reached >= wanted
    }

    /// Goes back to a weaker lock. Never refused.
    func unlock(_ level: LockLevel) {
        guard let record, withState({ $0.level }) > level else { return }
        let isOver = withState({ $0.level }) > .shared
        record.withState { state in
            state.lower(owner, to: level)
            // SQLite has told its caller that the transaction failed, unless it does not know.
            if isOver, !isPurged.load(ordering: .acquiring) { state.faulted.remove(owner) }
        }
        withState { $0.level = level }
    }

    /// Whether some connection intends to write.
    var isReserved: Bool { record?.withState { $0.isReserved } ?? false }

    /// A region of the log's index.
    func indexRegion(_ number: Int, byteCount: Int, extends: Bool) -> IndexRegion? {
        record?.withState {
            $0.index.region(number, byteCount: byteCount, extends: extends, owner)
        }
    }

    /// Takes locks on the log's index.
    ///
    /// - Returns: whether nobody was in the way.
    func lockIndex(_ slots: Range<Int>, shared: Bool) throws(ProtectionError) -> Bool {
        guard let record else { return true }
        if shared, slots.lowerBound >= SharedIndex.firstReadLock { try takeFault(record) }
        try file.requireUsable()
        return record.withState { $0.index.lock(slots, shared: shared, owner) }
    }

    /// Gives locks on the log's index back. Never refused.
    func unlockIndex(_ slots: Range<Int>) {
        record?.withState { state in
            let wasWriting = state.index.writer == owner
            state.index.unlock(slots, owner)
            guard wasWriting, state.index.writer == nil else { return }
            state.held.endWriting()
            if !isPurged.load(ordering: .acquiring) { state.faulted.remove(owner) }
        }
    }

    /// Does without the log's index from now on.
    func leaveIndex() { record?.withState { $0.leaveIndex(owner) } }

    /// Notes that the transaction meets a lock of the volume, if it writes.
    func meetLock() {
        record?.withState { state in
            guard state.isWriting(owner) else { return }
            state.faulted.insert(owner)
            if state.index.writer == owner { state.held.lose() }
        }
    }

    /// Forgets that, for a caller that was told.
    ///
    /// - Returns: whether there was something to tell.
    func forgetFault() -> Bool { record?.withState { $0.faulted.remove(owner) != nil } ?? false }

    /// The transaction was rolled back and nobody was told: the next one fails in its place.
    private func takeFault(_ record: FileRecord) throws(ProtectionError) {
        guard record.withState({ $0.faulted.remove(owner) != nil }) else { return }
        throw .transactionMetLock
    }
}
