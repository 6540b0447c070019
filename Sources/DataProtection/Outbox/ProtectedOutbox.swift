internal import FoundationEssentials
internal import Synchronization

/// What an app has captured and not yet delivered: sealed in files of a volume, sent in order, and
/// waiting for the unlock instead of failing.
///
///     let outbox = try volume.outbox("Outbox")
///     try await outbox.save(capture, named: "morning run")       // durable on return
///     let status = try await outbox.drain { item in
///         try await upload(item.body, idempotencyKey: item.key)
///     }
///     if status == .waitingForUnlock { /* not an error: the files are there, just sealed */ }
///
/// Each item is delivered at least once, with the same key at each attempt; a receiver that ignores
/// keys it has seen gets it once. The lock may fall at any moment: an item that cannot be read is
/// waiting, and nothing was lost or tried in vain. docs/outbox.md has the whole contract.
public actor ProtectedOutbox {
    /// The volume that the items are in.
    public nonisolated let volume: ProtectedVolume
    /// The folder that the items are in.
    public nonisolated let folder: String
    /// How it behaves.
    public nonisolated let options: OutboxOptions

    var shelves: OutboxShelves
    var log: OutboxLog
    var backOff: BackOff
    /// The number of the next item.
    var nextNumber: Int64 = 1
    /// How many items there are, and how long their bodies are.
    var itemCount = 0
    var byteCount: Int64 = 0

    /// Whether a drain runs, and who waits for its end.
    var isDraining = false
    var joiners: [WakeSignal] = []
    /// How the last drain ended, if not with an error.
    var lastReport: DrainReport?
    /// The item that is with the closure that sends, and who waits for that to end.
    var sending: (id: OutboxItem.ID, attempt: OutboxAttempt)?
    var sendingWaiters: [CheckedContinuation<Void, Never>] = []
    /// Items that are to go as soon as their closures have ended, and whether they are gone.
    var dropRequests: [OutboxItem.ID: Bool] = [:]
    /// Whether somebody has decided about items that the drain has passed over.
    var mustLookAgain = false
    /// Whether the credentials were refused, and how often they were renewed.
    var needsAuthentication = false
    var renewalCount = 0
    /// The attempt after which an item waits, and the one whose wait is over by the clock that
    /// nobody can set.
    var waitingAttempt: (id: OutboxItem.ID, count: UInt32)?
    var waitedAttempt: (id: OutboxItem.ID, count: UInt32)?
    /// Counts the unlocks.
    let unlocks: UnlockCount
    /// The first item that waits, as far as it is known.
    var head: (id: OutboxItem.ID, savedAt: Date)?

    var activity = OutboxStatus.Activity.idle
    var lastReason: OutboxReason?
    var listeners: [(number: Int, continuation: AsyncStream<OutboxStatus>.Continuation)] = []
    var nextListener = 0
    var runners: [(number: Int, signal: WakeSignal)] = []

    /// Opens an outbox; see `ProtectedVolume.outbox(_:options:)`.
    init(
        _ folder: String, in volume: ProtectedVolume, _ options: OutboxOptions
    ) throws(ProtectionError) {
        try options.check()
        self.volume = volume
        self.folder = folder
        self.options = options
        unlocks = UnlockCount(volume)
        backOff = BackOff(first: options.firstRetryDelay, longest: options.longestRetryDelay)
        shelves = OutboxShelves(folder, in: volume)
        log = try OutboxLog(folder + "/log", in: volume)
        let found = try Self.look(&shelves, &log)
        nextNumber = found.highest + 1
        itemCount = found.count
        byteCount = found.byteCount
        guard volume.wasUnclean else { return }
        try shelves.sweepLeftovers()
        try shelves.sweepReasons(log.ledger)
    }

    deinit {
        for listener in listeners { listener.continuation.finish() }
    }

    /// Counts the items afresh.
    func count() throws(ProtectionError) {
        let found = try Self.look(&shelves, &log)
        nextNumber = max(nextNumber, found.highest + 1)
        itemCount = found.count
        byteCount = found.byteCount
    }

    /// Looks through the names: what is done is removed, of what is gone nothing is kept.
    private static func look(
        _ shelves: inout OutboxShelves, _ log: inout OutboxLog
    ) throws(ProtectionError) -> (highest: Int64, count: Int, byteCount: Int64) {
        try sweep(&shelves, &log)
        var missing = Set(log.ledger.entries.keys)
        var found = (highest: log.ledger.highestNumber, count: 0, byteCount: Int64(0))
        for shelf in try shelves.shelves() {
            for name in try shelves.items(on: shelf) {
                missing.remove(name.number)
                found.highest = max(found.highest, name.number)
                found.count += 1
                found.byteCount += name.bodyByteCount
            }
        }
        for number in missing { log.forget(number) }
        if log.isLong { try log.shorten() }
        return found
    }

    /// Removes the files of what is done, durably, and forgets it.
    static func sweep(
        _ shelves: inout OutboxShelves, _ log: inout OutboxLog
    ) throws(ProtectionError) {
        let done = log.ledger.done
        for shelf in Set(done.map { $0 >> 10 }).sorted() {
            for name in try shelves.items(on: shelf) where done.contains(name.number) {
                try shelves.remove(name)
            }
            try shelves.synchronize(shelf)
        }
        for number in done { log.forget(number) }
    }
}

/// Counts a volume's unlocks.
final class UnlockCount: Sendable {
    private let count = Atomic(0)
    private let observation = Mutex<LockObservation?>(nil)

    init(_ volume: ProtectedVolume) {
        let observed = volume.observeLock { [weak self] event in
            if event == .didBecomeAvailable { self?.count.add(1, ordering: .relaxed) }
        }
        observation.withLock { $0 = observed }
    }

    /// How many there were.
    var value: Int { count.load(ordering: .relaxed) }
}

extension ProtectedVolume {
    /// Opens the outbox in a folder, and makes the folder if it is missing.
    ///
    /// There is one outbox for a folder: as long as one is in use, everybody who asks gets it.
    ///
    /// - Parameters:
    ///   - folder: the path of a folder that holds nothing but the outbox.
    ///   - options: how it behaves.
    /// - Throws: `newerFormat` when a later version was here, `busy` when it is in use with other
    ///   options, `invalidArgument` for options that make no sense, `sealed` before the first
    ///   unlock of a volume with private names.
    public func outbox(
        _ folder: String, options: OutboxOptions = OutboxOptions()
    ) throws(ProtectionError) -> ProtectedOutbox {
        try core.outboxes.withLock { open throws(ProtectionError) in
            try makeOutboxFolder(folder)
            let identity = try attributes(of: folder).identity
            open = open.filter { $0.value.outbox != nil }
            if let outbox = open[identity]?.outbox {
                guard outbox.options == options else { throw .outboxInUse(folder) }
                return outbox
            }
            let outbox = try ProtectedOutbox(folder, in: self, options)
            open[identity] = WeakOutbox(outbox: outbox)
            return outbox
        }
    }

    private func makeOutboxFolder(_ folder: String) throws(ProtectionError) {
        let names = folder.split(separator: "/")
        guard !names.isEmpty else { throw .outboxNeedsFolder }
        for count in 1...names.count {
            let path = names.prefix(count).joined(separator: "/")
            do throws(ProtectionError) {
                try makeFolder(path)
            } catch {
                guard error.code == .exists else { throw error }
                continue
            }
            try synchronizeFolder(names.prefix(count - 1).joined(separator: "/"))
        }
    }
}

/// An outbox that is in use, or was.
struct WeakOutbox: Sendable {
    weak let outbox: ProtectedOutbox?
}
