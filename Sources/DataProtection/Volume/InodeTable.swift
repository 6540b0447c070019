private import Synchronization

/// The files that are open: one inode object for each host inode, whoever holds it open.
final class InodeTable: Sendable {
    private struct Entry {
        let inode: Inode
        var holderCount: Int
        /// How often it was held since it was opened.
        var holdCount = 1
    }

    private let entries = Mutex<[HostIdentity: Entry]>([:])

    /// Holds an inode open, making its object when there is none.
    ///
    /// `make` runs under the table's lock. A key that it unwraps is therefore in the table before
    /// `all` can be read, and the wipe at lock finds it.
    func hold(
        _ identity: HostIdentity, make: () throws(ProtectionError) -> Inode
    ) throws(ProtectionError) -> Inode {
        try entries.withLock { entries throws(ProtectionError) in
            if let entry = entries[identity] {
                entries[identity]!.holderCount += 1
                entries[identity]!.holdCount += 1
                return entry.inode
            }
            let inode = try make()
            entries[identity] = Entry(inode: inode, holderCount: 1)
            return inode
        }
    }

    /// Lets go of an inode; the last to do so forgets its key.
    ///
    /// - Returns: whether it was the last.
    func release(_ inode: Inode) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[inode.identity] else { return false }
            guard entry.holderCount == 1 else {
                entries[inode.identity]!.holderCount -= 1
                return false
            }
            entries[inode.identity] = nil
            inode.retire()
            return true
        }
    }

    /// Holds an inode that is open already; `nil` when it is not.
    func holdIfOpen(_ identity: HostIdentity) -> Inode? {
        entries.withLock { entries in
            guard let entry = entries[identity] else { return nil }
            entries[identity]!.holderCount += 1
            entries[identity]!.holdCount += 1
            return entry.inode
        }
    }

    /// The inode object of a file that is open.
    func find(_ identity: HostIdentity) -> Inode? {
        entries.withLock { $0[identity]?.inode }
    }

    /// Whether nobody but the one who holds an inode has held it since then.
    func wasHeldOnce(_ inode: Inode) -> Bool {
        entries.withLock { $0[inode.identity]?.holdCount == 1 }
    }

    /// Every open inode.
    var all: [Inode] { entries.withLock { $0.values.map(\.inode) } }
}
