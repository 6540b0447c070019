internal import Synchronization

extension ProtectedVolume: ProtectedDataAvailability {
    /// Whether data of class `complete` can be used, and every change of that. The sequence ends
    /// when the volume is closed.
    public var protectedDataChanges: AsyncStream<Bool> {
        AsyncStream { continuation in
            let changes = AvailabilityChanges(continuation)
            let observation = observeLock { changes.hear($0) }
            let ending = endWithVolume { continuation.finish() }
            continuation.onTermination = { _ in
                observation.cancel()
                ending.cancel()
            }
        }
    }
}

/// Tells each change of the answer once.
package final class AvailabilityChanges: Sendable {
    private let continuation: AsyncStream<Bool>.Continuation
    private let told = Mutex<Bool?>(nil)

    /// Tells it to a sequence.
    package init(_ continuation: AsyncStream<Bool>.Continuation) {
        self.continuation = continuation
    }

    /// Takes an event for what it says about the answer.
    package func hear(_ event: LockEvent) {
        switch event {
        case .current(let state): tell(state.isProtectedDataAvailable)
        case .willBecomeUnavailable: break
        case .didBecomeUnavailable: tell(false)
        case .didBecomeAvailable: tell(true)
        }
    }

    /// Tells an answer, unless it is the one that was told last.
    package func tell(_ isAvailable: Bool) {
        told.withLock { told in
            guard told != isAvailable else { return }
            told = isAvailable
            continuation.yield(isAvailable)
        }
    }
}
