internal import Synchronization

/// Who is told of a volume's lock states. Guarded by the lock under which the state changes, so
/// that states are told in the order in which they came about.
struct StateStreams: Sendable {
    private struct Stream {
        let number: Int
        let continuation: AsyncStream<LockState>.Continuation
        var told: LockState
    }

    /// In the order in which they came.
    private var streams: [Stream] = []
    private var nextNumber = 0

    /// Adds a stream and tells it the present state.
    mutating func add(
        _ continuation: AsyncStream<LockState>.Continuation, state: LockState
    ) -> Int {
        continuation.yield(state)
        nextNumber += 1
        streams.append(Stream(number: nextNumber, continuation: continuation, told: state))
        return nextNumber
    }

    /// Forgets a stream.
    mutating func remove(_ number: Int) { streams.removeAll { $0.number == number } }

    /// Tells everybody who was not told this state last.
    mutating func tell(_ state: LockState) {
        for index in streams.indices where streams[index].told != state {
            streams[index].continuation.yield(state)
            streams[index].told = state
        }
    }

    /// Forgets every stream, to be ended where no lock is held: that calls back.
    mutating func removeAll() -> [AsyncStream<LockState>.Continuation] {
        defer { streams = [] }
        return streams.map(\.continuation)
    }
}

extension ProtectedVolume {
    /// The lock states, the present one first. The sequence ends when the volume is closed.
    ///
    ///     for await state in volume.lockStates where state.isProtectedDataAvailable {
    ///         try await drain()
    ///     }
    ///
    /// `locked` is delivered when the keys of `complete` are gone. A grace that an unlock ends is
    /// told as `grace` and `unlocked`, though no event and no notification is posted for it. What
    /// is true when a state arrives may be another one: the result of an operation is the truth.
    public var lockStates: AsyncStream<LockState> {
        AsyncStream { continuation in
            let number = lockProgress.withLock { progress -> Int? in
                let number = progress.stateStreams.add(continuation, state: lockState)
                guard core.isOpen.load(ordering: .acquiring) else {
                    progress.stateStreams.remove(number)
                    return nil
                }
                return number
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.lockProgress.withLock { $0.stateStreams.remove(number) }
            }
        }
    }
}
