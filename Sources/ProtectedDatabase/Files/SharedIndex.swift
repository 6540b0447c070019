/// The index of a write-ahead log: memory that all connections of a database share, and eight
/// locks. It holds page numbers and checksums, no content; it is wiped when it is freed.
struct SharedIndex: ~Copyable {
    static let lockCount = 8
    /// The lock of whoever appends to the log.
    private static let writeLock = 0
    /// The first of the locks that readers take for the time of a transaction.
    static let firstReadLock = 3

    private var regions: [IndexRegion] = []
    private var users: Set<FileRecord.Owner> = []
    /// Few at a time, so that looking through them is faster than a set.
    private var sharers = [[FileRecord.Owner]](repeating: [], count: lockCount)
    private var holders = [FileRecord.Owner?](repeating: nil, count: lockCount)

    /// Who appends to the log; `nil` for nobody.
    var writer: FileRecord.Owner? { holders[Self.writeLock] }

    /// A region of the memory.
    ///
    /// - Parameter extends: whether it, and those before it, are made if they are missing.
    /// - Returns: `nil` for a region that is not there.
    mutating func region(
        _ number: Int, byteCount: Int, extends: Bool, _ owner: FileRecord.Owner
    ) -> IndexRegion? {
        users.insert(owner)
        while extends, regions.count <= number {
            regions.append(IndexRegion(byteCount: byteCount))
        }
        return number < regions.count ? regions[number] : nil
    }

    /// Takes locks, all or none.
    ///
    /// - Returns: whether nobody was in the way.
    mutating func lock(_ slots: Range<Int>, shared: Bool, _ owner: FileRecord.Owner) -> Bool {
        let isFree = slots.allSatisfy { slot in
            (holders[slot] == nil || holders[slot] == owner)
                && (shared || sharers[slot].allSatisfy { $0 == owner })
        }
        guard isFree else { return false }
        for slot in slots {
            if !shared {
                holders[slot] = owner
            } else if !sharers[slot].contains(owner) {
                sharers[slot].append(owner)
            }
        }
        return true
    }

    /// Gives locks back.
    mutating func unlock(_ slots: Range<Int>, _ owner: FileRecord.Owner) {
        for slot in slots {
            sharers[slot].removeAll { $0 == owner }
            if holders[slot] == owner { holders[slot] = nil }
        }
    }

    /// A connection does without the index from now on; the memory goes with the last one.
    mutating func leave(_ owner: FileRecord.Owner) {
        unlock(0..<Self.lockCount, owner)
        users.remove(owner)
        if users.isEmpty { regions = [] }
    }
}
