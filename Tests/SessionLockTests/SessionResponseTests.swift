import SessionLock
import Testing

/// The one rule, as a table.
@Suite struct SessionResponseTests {
    private static let table: [(SessionEvent, SessionResponse)] = [
        (.screenLocked, .lockAfterGrace), (.screenUnlocked, .cancelGrace),
        (.willSleep, .lockNow), (.didWake, .nothing),
        (.lidClosed, .lockNow), (.lidOpened, .nothing),
    ]

    @Test func `sleep and lid lock at once, the screen after the grace`() {
        for (event, response) in Self.table { #expect(SessionResponse(to: event) == response) }
        #expect(Self.table.map(\.0) == SessionEvent.allCases)
    }
}
