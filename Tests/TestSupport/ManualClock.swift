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
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var nextNumber = 0
        /// Those who were cancelled before they slept.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Makes a clock at zero.
    public init() {}

    /// Where the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the test has moved the clock there.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(number) != nil {
                        return .failure(CancellationError())
                    }
                    guard deadline > state.now else { return .success(()) }
                    state.sleepers.append(
                        Sleeper(number: number, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
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
