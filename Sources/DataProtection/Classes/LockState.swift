/// Whether the volume's user has unlocked it.
///
///     beforeFirstUnlock ──unlock──► unlocked ──lock──► grace ──time──► locked
///                                      ▲                │                │
///                                      └─────unlock─────┴─────unlock─────┘
///
/// A volume without a passcode is always `unlocked`.
public enum LockState: String, Sendable, Hashable, CaseIterable {
    /// Open, never unlocked: only class `none` can be read, `completeUnlessOpen` can be created.
    case beforeFirstUnlock
    /// Every class can be read and written.
    case unlocked
    /// Locked by the user a moment ago; the keys are still here.
    case grace
    /// Locked: the keys of `complete` are gone.
    case locked

    /// Whether data of class `complete` can be used in this state.
    public var isProtectedDataAvailable: Bool { self == .unlocked || self == .grace }
}

/// What a volume tells those who watch its lock.
public enum LockEvent: Sendable, Hashable {
    /// The state at the time of subscribing; always delivered first.
    case current(LockState)
    /// The keys of `complete` are about to be wiped. Let go of what you hold in memory.
    case willBecomeUnavailable
    /// The keys of `complete` are gone.
    case didBecomeUnavailable
    /// Everything can be read again.
    case didBecomeAvailable
}
