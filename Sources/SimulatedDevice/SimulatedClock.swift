internal import Synchronization

/// The clock of a simulated device: it stands still until `SimulatedDevice.advance(by:)` moves it.
///
/// Give it to code that waits, in the place of `ContinuousClock`.
public final class SimulatedClock: Clock, Sendable {
    /// A point on the clock, counted from the making of the device.
    public struct Instant: InstantProtocol, Sendable {
        /// How far from the making of the device.
        public let offset: Duration

        /// A later point; an earlier one for a negative duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The way to another point; negative when that is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one point is earlier.
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
    }

    private let state = Mutex(State())

    init() {}

    /// Where the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step: a nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until the clock was moved there; returns at once when it is there already.
    ///
    /// - Parameters:
    ///   - deadline: until when.
    ///   - tolerance: has no effect, the clock is exact.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    // Looked at under the lock: who cancels later finds the sleeper.
                    if Task.isCancelled { return .failure(CancellationError()) }
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
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns when at least so many tasks sleep, so that a test moves the clock when the code it
    /// tests is waiting and not before. Waits for ever if that never comes true.
    public func waitForSleepers(_ count: Int = 1) async {
        while sleeperCount < count { await Task.yield() }
    }

    /// When the next sleeper is to be woken.
    var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves the clock; nobody is woken yet.
    func move(to instant: Instant) {
        state.withLock { $0.now = max($0.now, instant) }
    }

    /// Wakes those whose time has come, in the order of their times.
    func wakeSleepers() {
        let woken = state.withLock { state in
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
