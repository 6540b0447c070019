internal import Cryptography
internal import Synchronization

/// Where a lock is on its way, and who watches it.
struct LockProgress: ~Copyable, Sendable {
    /// Counts locks, so that a grace that was cancelled does not end a later one.
    var generation = 0
    /// Counts what asked for a lock, also where there was nothing to lock any more: an unlock that
    /// began before is void.
    var requestCount = 0
    /// Whether *will* was heard and neither *did* yet.
    var hasAnnounced = false
    /// Whether a lock is on its way that no grace delays any more.
    var isImmediate = false
    /// Who is told, in the order in which they came.
    var observers: [(number: Int, handler: @Sendable (LockEvent) -> Void)] = []
    /// Names the next observer.
    var nextObserver = 0
    /// Who is told of the volume's end, in the order in which they came.
    var endings: [(number: Int, end: @Sendable () -> Void)] = []
    /// Those who are told of states.
    var stateStreams = StateStreams()
    /// What is still to be told, in the order in which it came about, and to whom.
    var pending: [(event: LockEvent, observers: [@Sendable (LockEvent) -> Void])] = []
    /// Whether a thread is telling it.
    var isDelivering = false

    /// Queues an event for everybody who watches now.
    mutating func post(_ event: LockEvent) {
        pending.append((event, observers.map(\.handler)))
    }
}

extension ProtectedVolume {
    /// The lock state. It may be another one a moment later; the result of an operation is the
    /// truth.
    public var lockState: LockState {
        core.isOpen.load(ordering: .acquiring) ? core.keyring.state : .beforeFirstUnlock
    }

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

    /// Tells what is queued; one thread at a time, so that nobody hears events in another order.
    func deliver() {
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
            tell(next.event, to: next.observers)
        }
    }

    private func tell(
        _ event: LockEvent, to observers: [@Sendable (LockEvent) -> Void]
    ) {
        for observer in observers { observer(event) }
        LockBulletin.tell(event, of: self)
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
        guard let generation = beginLock(grace: grace) else { return }
        guard grace > .zero else { return finishLock(generation) }
        Task.detached { [weak self, clock] in
            try? await clock.sleep(for: grace)
            self?.finishLock(generation)
        }
    }

    /// Begins a lock with grace, for a caller whose own clock ends the grace.
    ///
    /// - Returns: what `endGrace(_:)` takes; `nil` when there is nothing to lock, or a lock is on
    ///   its way already.
    package func beginGrace() -> Int? { beginLock(grace: .seconds(1)) }

    /// Ends a grace: the keys are gone on return. Does nothing when an unlock or another lock came
    /// first.
    ///
    /// - Parameter grace: what `beginGrace()` returned.
    package func endGrace(_ grace: Int) { finishLock(grace) }

    /// Closes no gate yet.
    ///
    /// - Returns: names the lock; `nil` when there is nothing to do for this call.
    private func beginLock(grace: Duration) -> Int? {
        lockProgress.withLock { progress -> Int? in
            // The keys may be a successor's by now.
            guard core.isOpen.load(ordering: .acquiring) else { return nil }
            if core.keyring.hasPasscode.load(ordering: .relaxed) { progress.requestCount += 1 }
            let didBegin = core.keyring.beginGrace()
            guard didBegin || core.keyring.state == .grace else { return nil }
            if didBegin {
                progress.isImmediate = false
                progress.stateStreams.tell(.grace)
            }
            // The grace that runs is not made longer.
            if !didBegin, grace > .zero { return nil }
            // A lock without grace is on its way; nothing but an unlock stops it any more.
            if progress.isImmediate { return progress.generation }
            progress.isImmediate = grace <= .zero
            progress.generation += 1
            return progress.generation
        }
    }

    /// Announces, closes the gate, wipes.
    private func finishLock(_ generation: Int) {
        let announced = lockProgress.withLock { progress -> [@Sendable (LockEvent) -> Void]? in
            guard progress.generation == generation, core.isOpen.load(ordering: .acquiring) else {
                return nil
            }
            progress.isImmediate = true
            return progress.observers.map(\.handler)
        }
        guard let announced else { return }
        tell(.willBecomeUnavailable, to: announced)
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
        // What is dirty above comes down now: the gate is closed, the keys are still there.
        core.caches.drop()
        // Each wipe waits for the read or write that is using the key.
        for inode in core.inodes.all { inode.wipeAtLock(core.accessRules) }
        core.workspaces.wipe()
        // A read that was under way at the gate may have filled a page since.
        core.caches.drop()
        lockProgress.withLock { progress in
            // An unlock that came in between has told, or will tell, what is true now.
            guard core.keyring.state == .locked else { return }
            progress.hasAnnounced = false
            progress.post(.didBecomeUnavailable)
            progress.stateStreams.tell(.locked)
        }
        deliver()
    }
}
