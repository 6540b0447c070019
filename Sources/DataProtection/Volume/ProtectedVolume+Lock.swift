internal import Cryptography
internal import Synchronization

/// Where a lock is on its way, and who watches it.
struct LockProgress: ~Copyable, Sendable {
    /// Counts locks, so that a grace that was cancelled does not end a later one.
    var generation = 0
    /// Whether *will* was heard and neither *did* yet.
    var hasAnnounced = false
    /// Whether a lock is on its way that no grace delays any more.
    var isImmediate = false
    /// Who is told.
    var observers: [Int: @Sendable (LockEvent) -> Void] = [:]
    /// Names the next observer.
    var nextObserver = 0
    /// The sequences that end with the volume.
    var streams: [AsyncStream<LockEvent>.Continuation] = []
    /// What is still to be told, in the order in which it came about, and to whom.
    var pending: [(event: LockEvent, observers: [@Sendable (LockEvent) -> Void])] = []
    /// Whether a thread is telling it.
    var isDelivering = false

    /// Queues an event for everybody who watches now.
    mutating func post(_ event: LockEvent) {
        pending.append((event, Array(observers.values)))
    }
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
        // The state changes under the lock under which its event is queued: what is told last is
        // what holds.
        try lockProgress.withLock { progress throws(ProtectionError) in
            try core.requireOpen()
            let before = try core.keyring.unlock(keybag: keybag, secret: secret)
            guard before != .unlocked else { return }
            progress.generation += 1
            if before != .grace || progress.hasAnnounced { progress.post(.didBecomeAvailable) }
            progress.hasAnnounced = false
        }
        deliver()
    }

    /// Tells what is queued; one thread at a time, so that nobody hears events in another order.
    private func deliver() {
        var isMine = false
        while true {
            let next = lockProgress.withLock {
                progress -> (event: LockEvent, observers: [@Sendable (LockEvent) -> Void])? in
                guard isMine || !progress.isDelivering else { return nil }
                isMine = !progress.pending.isEmpty
                progress.isDelivering = isMine
                return isMine ? progress.pending.removeFirst() : nil
            }
            guard let next else { return }
            for observer in next.observers { observer(next.event) }
        }
    }

    /// Locks the volume.
    ///
    /// Without grace, every key of class `complete` and every cipher context is wiped when this
    /// returns, open `complete` files answer `sealed` until the next unlock and then work again,
    /// and open `completeUnlessOpen` files go on until they are closed. A volume without a
    /// passcode does not lock.
    ///
    /// - Parameter grace: how long the keys stay, so that a user who comes right back need not
    ///   type the passcode. Apple's is about ten seconds. A grace that runs already is not made
    ///   longer by another; a lock without one ends it.
    public func lock(grace: Duration = .zero) {
        let generation = lockProgress.withLock { progress -> Int? in
            let didBegin = core.keyring.beginGrace()
            guard didBegin || core.keyring.state == .grace else { return nil }
            if didBegin { progress.isImmediate = false }
            // The grace that runs is not made longer.
            if !didBegin, grace > .zero { return nil }
            // A lock without grace is on its way; nothing but an unlock stops it any more.
            if progress.isImmediate { return progress.generation }
            progress.isImmediate = grace <= .zero
            progress.generation += 1
            return progress.generation
        }
        guard let generation else { return }
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
            progress.isImmediate = true
            return Array(progress.observers.values)
        }
        guard let announced else { return }
        for observer in announced { observer(.willBecomeUnavailable) }
        let isLocked = lockProgress.withLock { progress in
            progress.hasAnnounced = true
            if progress.generation == generation, core.keyring.lock() { return true }
            // An unlock or another lock came first. What it told may have been heard before *will*.
            if core.keyring.state == .unlocked {
                progress.hasAnnounced = false
                progress.post(.didBecomeAvailable)
            }
            return core.keyring.state == .locked
        }
        // Two threads may lock at once: for both, the keys are gone when they return.
        guard isLocked else { return deliver() }
        // Files that are being made or opened under the namespace lock are in the table after this.
        namespace.withLock { _ in }
        // Each wipe waits for the read or write that is using the key.
        for inode in core.inodes.all { inode.wipeAtLock(core.accessRules) }
        core.workspaces.wipe()
        lockProgress.withLock { progress in
            // An unlock that came in between has told, or will tell, what is true now.
            guard core.keyring.state == .locked else { return }
            progress.hasAnnounced = false
            progress.post(.didBecomeUnavailable)
        }
        deliver()
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
                guard core.keyring.state == told else { return nil }
                progress.nextObserver += 1
                progress.observers[progress.nextObserver] = handler
                return progress.nextObserver
            }
        } while number == nil
        return LockObservation { [weak self, number] in
            guard let number else { return }
            self?.lockProgress.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
    }

    /// The lock's events, the current state first. The sequence ends when the volume is closed.
    public var lockEvents: AsyncStream<LockEvent> {
        AsyncStream { continuation in
            let observation = observeLock { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
            let isOpen = lockProgress.withLock { progress in
                progress.streams.append(continuation)
                return core.isOpen.load(ordering: .acquiring)
            }
            if !isOpen { continuation.finish() }
        }
    }

    /// Ends every sequence of events.
    func endLockEvents() {
        let streams = lockProgress.withLock { progress in
            defer { progress.streams = [] }
            return progress.streams
        }
        for stream in streams { stream.finish() }
    }
}
