internal import DataProtection

/// How much of the journal a sync commits.
package enum CommitRule: Sendable, Hashable {
    /// All of it so far, as ext4 nearly always does: there is one running transaction.
    case wholeJournal
    /// No more than what concerns the file or folder that was synced. ext4 does just this when that
    /// was last changed in a transaction that is on the disk already, and other hosts may. A sync
    /// of a file covers its creation, its truncates and its punched holes, and with `everything`
    /// its mode, owner, attributes and times, but not a rename of it or another name for it; a sync
    /// of a folder covers its entries. What happened before any of these is covered too: a journal
    /// has no gaps.
    case onlyTheSynced

    /// How many of the first operations are in the journal on the disk for certain.
    func committedCount(of changes: [MemoryChange]) -> Int {
        switch self {
        case .wholeJournal:
            changes.lastIndex { $0.isSync }.map { $0 + 1 } ?? 0
        case .onlyTheSynced:
            Self.committedCount(ofSyncedIn: changes)
        }
    }

    private static func committedCount(ofSyncedIn changes: [MemoryChange]) -> Int {
        var committed = 0
        /// For each inode, how far the journal must reach for its data, and for all about it.
        var reachForData: [UInt64: Int] = [:]
        var reach: [UInt64: Int] = [:]
        for (index, change) in changes.enumerated() {
            switch change {
            case .create(let folder, _, let node):
                for inode in [folder, node.inode] {
                    reachForData[inode] = index + 1
                    reach[inode] = index + 1
                }
            case .remove(let folder, _, _), .link(let folder, _, _, _):
                reach[folder] = index + 1
            case .rename(let folder, _, let newFolder, _, _, _):
                reach[folder] = index + 1
                reach[newFolder] = index + 1
            case .truncate(let inode, _, _), .punchHole(let inode, _, _):
                reachForData[inode] = index + 1
                reach[inode] = index + 1
            case .setAttributes(let inode, _), .setUserAttribute(let inode, _, _, _),
                .write(let inode, _, _, _):
                reach[inode] = index + 1
            case .syncFile(let inode, let everything):
                committed = max(committed, (everything ? reach : reachForData)[inode] ?? 0)
            case .syncFolder(let inode):
                committed = max(committed, reach[inode] ?? 0)
            case .syncAll:
                committed = index + 1
            }
        }
        return committed
    }
}

extension MemoryChange {
    /// Whether something is durable after this that was not before.
    var isSync: Bool {
        switch self {
        case .syncFile, .syncFolder, .syncAll: true
        default: false
        }
    }
}
