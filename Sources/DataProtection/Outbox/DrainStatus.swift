public import FoundationEssentials

/// How a drain ended. None of these is an error: the items are there.
public enum DrainStatus: Sendable, Hashable {
    /// Nothing waits any more; so many were delivered. Items that were set aside do not count as
    /// waiting.
    case drained(Int)
    /// The next item is sealed. Call again after the unlock.
    case waitingForUnlock
    /// The next item failed. Call again at that time.
    case waitingForRetry(until: Date)
    /// The credentials were refused. Call `authenticationRenewed()` when there are new ones.
    case waitingForAuthentication
    /// The item was refused for good. Somebody has to retry, drop or export it.
    case blocked(OutboxItem.ID, OutboxReason)
    /// `pause()` was called. Call `resume()`.
    case paused
}

/// How a drain ended, and what it did.
public struct DrainReport: Sendable, Hashable {
    /// How it ended.
    public var status: DrainStatus
    /// How many items were delivered.
    public var sentCount = 0
    /// How many attempts failed and will be made again.
    public var retriedCount = 0
    /// How many items were refused or set aside.
    public var quarantinedCount = 0
    /// How many items wait now, without those that were set aside.
    public var remainingCount = 0
}

/// What an outbox is doing, and why it is not doing more.
public struct OutboxStatus: Sendable, Hashable {
    /// What it is doing.
    public enum Activity: Sendable, Hashable {
        /// Nothing was asked of it, or nothing is left to do.
        case idle
        /// An item is with the closure that sends, since then.
        case sending(OutboxItem.ID, attempt: Int, since: Date)
        /// As a drain ended.
        case waiting(DrainStatus)
    }

    /// What it is doing.
    public var activity: Activity
    /// How many items wait, without those that were set aside.
    public var pendingCount: Int
    /// How many items were refused or set aside.
    public var quarantinedCount: Int
    /// The bodies of all of them, in bytes.
    public var byteCount: Int64
    /// Why an attempt last failed since the outbox was opened.
    public var lastReason: OutboxReason?
    /// When the item whose turn it is was saved, as the host tells; `nil` when none waits.
    public var oldest: Date?
}
