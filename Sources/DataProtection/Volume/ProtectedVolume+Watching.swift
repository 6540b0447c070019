internal import Synchronization

/// What can be done with a class of files at one moment.
public struct ClassAvailability: Sendable, Hashable {
    /// Whether a closed file of it can be opened.
    public let canOpen: Bool
    /// Whether a new file of it can be made.
    public let canCreate: Bool
    /// Whether a file of it that is open can be read and written.
    public let canUseOpenHandles: Bool
}

/// Ends a subscription when it is cancelled or goes out of scope.
public final class LockObservation: Sendable {
    private let end: @Sendable () -> Void

    /// Makes a subscription from what ends it; that may be called more than once.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the subscription; calling it again does nothing.
    public func cancel() { end() }
}

extension ProtectedVolume {
    /// Watches the lock.
    ///
    /// The handler is called first with the current state, on the calling thread; later on a
    /// thread that locks or unlocks, in the order in which things came about: the last event tells
    /// what holds. *Will become unavailable* is delivered before the keys go, so keep the handler
    /// short; it must not lock or unlock. Duplicates are possible and harmless.
    ///
    /// - Returns: keep it as long as you want to be told.
    public func observeLock(
        _ handler: @escaping @Sendable (LockEvent) -> Void
    ) -> LockObservation {
        var told: LockState
        var number: Int?
        repeat {
            told = lockState
            handler(.current(told))
            number = lockProgress.withLock { [told] progress in
                guard lockState == told else { return nil }
                progress.nextObserver += 1
                progress.observers.append((progress.nextObserver, handler))
                return progress.nextObserver
            }
        } while number == nil
        return LockObservation { [weak self, number] in
            guard let number else { return }
            self?.lockProgress.withLock { $0.observers.removeAll { $0.number == number } }
        }
    }

    /// The lock's events, the current state first. The sequence ends when the volume is closed.
    public var lockEvents: AsyncStream<LockEvent> {
        AsyncStream { continuation in
            let observation = observeLock { continuation.yield($0) }
            let ending = endWithVolume { continuation.finish() }
            continuation.onTermination = { _ in
                observation.cancel()
                ending.cancel()
            }
        }
    }

    /// Does something when the volume is closed; at once when it is.
    ///
    /// - Returns: keep it as long as that is to be done.
    package func endWithVolume(_ end: @escaping @Sendable () -> Void) -> LockObservation {
        let (isOpen, number) = lockProgress.withLock { progress in
            progress.nextObserver += 1
            progress.endings.append((progress.nextObserver, end))
            return (core.isOpen.load(ordering: .acquiring), progress.nextObserver)
        }
        if !isOpen { end() }
        return LockObservation { [weak self] in
            self?.lockProgress.withLock { $0.endings.removeAll { $0.number == number } }
        }
    }

    /// Ends every sequence of events.
    func endLockEvents() {
        let (endings, stateStreams) = lockProgress.withLock { progress in
            defer { progress.endings = [] }
            return (progress.endings, progress.stateStreams.removeAll())
        }
        for ending in endings { ending.end() }
        for stream in stateStreams { stream.finish() }
    }
}
