internal import Cryptography
internal import Synchronization

/// Where a lock is on its way, and who watches it.
struct LockProgress: ~Copyable, Sendable {
    /// Counts locks, so that a grace that was cancelled does not end a later one.
    var generation = 0
    /// Whether *will* was posted and neither *did* yet.
    var hasAnnounced = false
    /// Who is told.
    var observers: [Int: @Sendable (LockEvent) -> Void] = [:]
    /// Names the next observer.
    var nextObserver = 0
}

extension ProtectedVolume {
    /// The lock state. It may be another one a moment later; the result of an operation is the
    /// truth.
    public var lockState: LockState { core.keyring.state }

    /// Whether data of class `complete` can be used, as `UIApplication.isProtectedDataAvailable`
    /// tells.
    public var isProtectedDataAvailable: Bool { lockState.isProtectedDataAvailable }

    /// What can be done with a class in the present lock state.
    public func availability(of protectionClass: ProtectionClass) -> ClassAvailability {
        let state = lockState
        return ClassAvailability(
            canOpen: core.accessRules.allowsOpening(protectionClass, in: state),
            canCreate: core.accessRules.allowsCreating(protectionClass, in: state),
            canUseOpenHandles: core.accessRules.allowsUsingHandle(of: protectionClass, in: state))
    }

    /// Unlocks with the passcode. Takes as long as one try costs (`KeyDerivationCost`).
    ///
    /// During the grace after a lock this cancels the lock, and nothing is posted.
    /// - Throws: `wrongPasscode`, `throttled`, `damaged`; the state is then unchanged.
    public func unlock(passcode: Passcode) throws(ProtectionError) {
        let keybag = keybag.withLock { $0 }
        let secret = try self.secret(passcode: passcode, keybag)
        try adopt(secret, keybag)
    }

    /// Unlocks with the recovery key.
    ///
    /// - Throws: `wrongPasscode`, `damaged`; the state is then unchanged.
    public func unlock(recoveryKey: RecoveryKey) throws(ProtectionError) {
        let keybag = keybag.withLock { $0 }
        let secret = try keybag.secret(recoveryKey: recoveryKey)
        try adopt(secret, keybag)
    }

    private func adopt(_ secret: borrowing SecretKey, _ keybag: Keybag) throws(ProtectionError) {
        let before = try core.keyring.unlock(keybag: keybag, secret: secret)
        guard before != .unlocked else { return }
        let observers = lockProgress.withLock { progress in
            progress.generation += 1
            let isNews = before != .grace || progress.hasAnnounced
            progress.hasAnnounced = false
            return isNews ? Array(progress.observers.values) : []
        }
        for observer in observers { observer(.didBecomeAvailable) }
    }

    /// Locks the volume.
    ///
    /// Without grace, every key of class `complete` and every cipher context is wiped when this
    /// returns, open `complete` files answer `sealed` until the next unlock and then work again,
    /// and open `completeUnlessOpen` files go on until they are closed. A volume without a
    /// passcode does not lock.
    ///
    /// - Parameter grace: how long the keys stay, so that a user who comes right back need not
    ///   type the passcode. Apple's is about ten seconds.
    public func lock(grace: Duration = .zero) {
        let didBegin = core.keyring.beginGrace()
        guard didBegin || core.keyring.state == .grace else { return }
        let generation = lockProgress.withLock { progress in
            progress.generation += 1
            return progress.generation
        }
        guard grace > .zero else { return finishLock(generation) }
        Task.detached { [weak self, clock] in
            try? await clock.sleep(for: grace)
            self?.finishLock(generation)
        }
    }

    /// Announces, closes the gate, wipes.
    private func finishLock(_ generation: Int) {
        let announced = lockProgress.withLock { progress -> [@Sendable (LockEvent) -> Void]? in
            guard progress.generation == generation else { return nil }
            progress.hasAnnounced = true
            return Array(progress.observers.values)
        }
        guard let announced else { return }
        for observer in announced { observer(.willBecomeUnavailable) }
        guard core.keyring.lock() else { return }
        // Each wipe waits for the read or write that is using the key.
        for inode in core.inodes.all { inode.wipeAtLock(core.accessRules) }
        core.workspaces.wipe()
        let observers = lockProgress.withLock { progress in
            progress.hasAnnounced = false
            return Array(progress.observers.values)
        }
        for observer in observers { observer(.didBecomeUnavailable) }
    }
}

// MARK: - Watching

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

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the subscription; calling it again does nothing.
    public func cancel() { end() }
}

extension ProtectedVolume {
    /// Watches the lock.
    ///
    /// The handler is called first with the current state, on the calling thread; later on the
    /// thread that locks or unlocks. *Will become unavailable* is delivered before the keys go, so
    /// keep the handler short; it must not lock or unlock. Duplicates are possible and harmless.
    ///
    /// - Returns: keep it as long as you want to be told.
    public func observeLock(
        _ handler: @escaping @Sendable (LockEvent) -> Void
    ) -> LockObservation {
        let number = lockProgress.withLock { progress in
            progress.nextObserver += 1
            progress.observers[progress.nextObserver] = handler
            return progress.nextObserver
        }
        handler(.current(lockState))
        return LockObservation { [weak self] in
            self?.lockProgress.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
    }

    /// The lock's events, the current state first.
    public var lockEvents: AsyncStream<LockEvent> {
        AsyncStream { continuation in
            let observation = observeLock { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }
}
