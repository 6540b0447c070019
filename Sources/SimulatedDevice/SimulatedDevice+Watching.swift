public import DataProtection
internal import Foundation
internal import Synchronization

/// Watching the lock over reboots and lives of the app. What watches `volume` hears of its one
/// life alone, as an app does.
extension SimulatedDevice: ProtectedDataAvailability {
    /// Watches the lock as long as the device is there.
    ///
    /// The handler is called first with the present state, unless the device is off; later on the
    /// thread that changes something. Each boot, and each start of the app, is heard as `current`
    /// with the state that it finds. A device that is switched off while protected data is
    /// available is heard as `didBecomeUnavailable`, without an announcement.
    ///
    /// - Parameter handler: is told; it may lock and unlock, except at `willBecomeUnavailable`.
    /// - Returns: keep it as long as you want to be told.
    public func observeLock(
        _ handler: @escaping @Sendable (LockEvent) -> Void
    ) -> LockObservation {
        turn.lock()
        defer { turn.unlock() }
        let number = state.withLock { state in
            state.nextWatcher += 1
            state.watchers.append((state.nextWatcher, handler))
            return state.nextWatcher
        }
        if let lockState { handler(.current(lockState)) }
        return LockObservation { [weak self] in
            // Let go of where no lock is held: what a handler holds may call back.
            _ = self?.state.withLock { state in
                let index = state.watchers.firstIndex { $0.number == number }
                return index.map { state.watchers.remove(at: $0) }
            }
        }
    }

    /// The lock's events, as `observeLock(_:)` tells them. The sequence ends with the device.
    public var lockEvents: AsyncStream<LockEvent> {
        AsyncStream { continuation in
            let observation = observeLock { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
            state.withLock { $0.endings.append { continuation.finish() } }
        }
    }

    /// Whether data of class `complete` can be used, and every change of that, over reboots and
    /// lives of the app. The sequence ends with the device.
    public var protectedDataChanges: AsyncStream<Bool> {
        AsyncStream { continuation in
            let changes = AvailabilityChanges(continuation)
            let observation = observeLock { changes.hear($0) }
            changes.tell(isProtectedDataAvailable)
            continuation.onTermination = { _ in observation.cancel() }
            state.withLock { $0.endings.append { continuation.finish() } }
        }
    }

    /// Hears what a volume tells, from its present state on.
    func listen(to volume: ProtectedVolume) {
        let observation = volume.observeLock { [weak self, weak volume] event in
            guard let self, let volume else { return }
            // The app may lock its volume itself.
            if event == .didBecomeUnavailable { awaitIdle(volume) }
            tell(event)
        }
        state.withLock { $0.observation = observation }
    }

    /// Tells everybody, in the order in which they came.
    func tell(_ event: LockEvent) {
        for watcher in state.withLock({ $0.watchers }) { watcher.handler(event) }
    }
}
