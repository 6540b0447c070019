package import DataProtection
internal import Synchronization

/// A backing store whose power can be cut.
///
/// While it runs it is the memory store it wraps. It also keeps a log of every change and every
/// sync, from which `cut` computes what a disk could hold if the power had failed after any of
/// them. The model is ext4 with `data=ordered` and delayed allocation:
///
/// - A page written and not yet synced is on the disk or not, each page for itself, in any of the
///   contents it had since the last sync. A page write is never torn.
/// - A file's growth by writes is on the disk as any of the sizes it had since the last sync,
///   whichever pages got out: zeros inside the size, nothing beyond it.
/// - Everything else (`ftruncate`, punched holes, names, modes, owners, attributes, times) is
///   journaled: the disk holds a prefix of the journal. A sync of any file or folder commits the
///   whole journal so far, unless `CommitRule` says less.
/// - A sync of a file makes its pages and its size durable; `syncAll` does so for all files.
/// - Pages written after a truncate are on the disk only if the truncate is.
/// - A punched hole frees the blocks of its pages in one step of the journal. If that is on the
///   disk, the pages are zeros or what was written to them later. If it is not, they have one of
///   the contents they could have had without it, and nothing written later: that needs new blocks,
///   which a later transaction maps. Other pages do not depend on it.
/// - A page written into a hole is on the disk or is zeros, whether or not space was set aside for
///   it: ext4 marks the block as written when its data is out. Setting space aside shows nothing.
///
/// What the wrapped store holds in the beginning is durable.
package final class CrashingStore: BackingStore {
    /// The store as its user sees it: what is written, durable or not.
    package let live: MemoryStore
    private let base: MemoryImage
    private let log: CrashLog
    private let commitRule: CommitRule

    package var root: any BackingFolder { live.root }

    /// Begins with what an image holds, by default with nothing.
    ///
    /// - Parameters:
    ///   - options: how the store behaves while it runs; its `onChange` is called as well.
    ///   - commitRule: how much of the journal a sync commits.
    package init(
        _ image: MemoryImage? = nil, options: MemoryStore.Options = MemoryStore.Options(),
        commitRule: CommitRule = .wholeJournal
    ) {
        let log = CrashLog()
        base = image ?? MemoryStore(options).image()
        self.log = log
        self.commitRule = commitRule
        var logged = options
        logged.onChange = { change in
            log.append(change)
            options.onChange?(change)
        }
        live = MemoryStore(base, logged)
    }

    package func acquireOwnership() throws(HostError) {
        try live.acquireOwnership()
    }

    package func releaseOwnership() {
        live.releaseOwnership()
    }

    package func syncAll() throws(HostError) {
        try live.syncAll()
    }

    package func capabilities() throws(HostError) -> HostCapabilities {
        try live.capabilities()
    }

    package func space() throws(HostError) -> HostSpace {
        try live.space()
    }

    /// How many changes and syncs there were so far. Calls that failed or only read do not count.
    package var operationCount: Int { log.count }

    /// What the disk holds when the power fails.
    ///
    /// The store itself runs on as if nothing had happened, and can be cut again.
    ///
    /// - Parameters:
    ///   - outcome: which of the possible disks.
    ///   - operation: how many of the `operationCount` operations happened before the cut; all,
    ///     when it is `nil`.
    /// - Returns: an independent store with the same clock and block size, and without limits,
    ///   faults or hooks.
    package func cut(
        _ outcome: CutOutcome, afterOperation operation: Int? = nil
    ) -> MemoryStore {
        let image = possibleCuts(afterOperation: operation).image(outcome)
        var options = MemoryStore.Options()
        options.clock = live.options.clock
        options.blockByteCount = live.options.blockByteCount
        options.hasAttributes = live.options.hasAttributes
        return MemoryStore(image, options)
    }

    /// What the disk holds when the power fails now, as this seed decides.
    package func cut(seed: UInt64) -> MemoryStore {
        cut(.random(seed: seed))
    }

    /// All that the disk could hold; for small traces, where they can be counted.
    package func possibleCuts(afterOperation operation: Int? = nil) -> PossibleCuts {
        PossibleCuts(of: base, after: log.prefix(operation), commitRule)
    }
}

/// Which of the disks that a power cut could leave.
package enum CutOutcome: Sendable, Hashable {
    /// Nothing but what a sync promised.
    case nothingUnsynced
    /// All that was written, as if a sync had come just in time.
    case everything
    /// One that the seed decides.
    case random(seed: UInt64)
    /// One of `PossibleCuts.count`, from 0.
    case numbered(Int)
}

/// The changes of a store, in order.
final class CrashLog: Sendable {
    private let changes = Mutex<[MemoryChange]>([])

    /// How many there are.
    var count: Int { changes.withLock { $0.count } }

    /// Adds one.
    func append(_ change: MemoryChange) {
        changes.withLock { $0.append(change) }
    }

    /// The first so many; all, when it is `nil`.
    func prefix(_ count: Int?) -> [MemoryChange] {
        changes.withLock { changes in
            guard let count else { return changes }
            precondition(count >= 0 && count <= changes.count, "That many did not happen.")
            return Array(changes[..<count])
        }
    }
}
