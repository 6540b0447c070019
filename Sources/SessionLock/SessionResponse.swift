/// What is done with a volume when the session tells something.
package enum SessionResponse: Sendable, Hashable {
    /// Lock after the grace.
    case lockAfterGrace
    /// Lock at once: who closes the lid, or sends the machine to sleep, leaves it alone.
    case lockNow
    /// Take back a lock whose grace still runs; a locked volume needs the passcode.
    case cancelGrace
    /// Nothing.
    case nothing

    /// The one rule.
    package init(to event: SessionEvent) {
        self =
            switch event {
            case .screenLocked: .lockAfterGrace
            case .willSleep, .lidClosed: .lockNow
            case .screenUnlocked: .cancelGrace
            case .didWake, .lidOpened: .nothing
            }
    }
}
