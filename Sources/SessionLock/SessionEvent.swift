/// What a desktop session tells.
public enum SessionEvent: String, Sendable, Hashable, CaseIterable {
    /// The screen was locked, or the session is to be.
    case screenLocked
    /// The screen was unlocked: the user was recognised.
    case screenUnlocked
    /// The machine goes to sleep as soon as the handler returns.
    case willSleep
    /// The machine is awake again.
    case didWake
    /// The lid was closed.
    case lidClosed
    /// The lid was opened.
    case lidOpened
}

/// Where session events come from.
public enum SessionSource: String, Sendable, Hashable, CaseIterable {
    /// logind's signals Lock and Unlock, and its property LockedHint.
    case login
    /// logind's PrepareForSleep, with an inhibitor that holds sleep up until files are sealed.
    case sleep
    /// UPower's property LidIsClosed.
    case lid
    /// The signal ActiveChanged of the desktop's screen saver.
    case screenSaver
}

/// Which sources can be watched now, and why the others cannot.
public struct SessionCoverage: Sendable, Hashable {
    /// What is watched.
    public var watched: Set<SessionSource> = []
    /// What is not, with the reason: a sentence without a final stop.
    public var unwatched: [SessionSource: String] = [:]

    /// Nothing is watched yet, and nothing was refused.
    public init() {}

    mutating func set(_ source: SessionSource, _ problem: String?) {
        if let problem {
            watched.remove(source)
            unwatched[source] = problem
        } else {
            unwatched[source] = nil
            watched.insert(source)
        }
    }
}
