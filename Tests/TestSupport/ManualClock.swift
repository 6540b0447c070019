import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Clock, Sendable {
    /// A point on the clock, counted from its making.
    public struct Instant: InstantProtocol {
        /// How far from the clock's making.
        public var offset: Duration

        /// A later or earlier point.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The way to another point.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Compares two points.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
    }

    private let state = Mutex(State())

    /// Makes a clock at zero.
    public init() {}

    /// Where the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the test has moved the clock there. It cannot be cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard deadline > state.now else { return true }
                state.sleepers.append(Sleeper(deadline: deadline, continuation: continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Returns when so many sleep.
    public func waitForSleepers(_ count: Int) async {
        while state.withLock({ $0.sleepers.count }) < count { await Task.yield() }
    }

    /// Moves the clock, and wakes those whose time has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
