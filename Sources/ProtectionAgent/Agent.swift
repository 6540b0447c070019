package import AgentControl
package import DataProtection
internal import Dispatch
package import SessionLock
internal import Synchronization

/// One mounted volume, and everything that locks and unlocks it.
package final class Agent: Sendable {
    private struct State {
        /// Why it was locked last.
        var reason = LockReason.start
        /// How many passcodes are being tried.
        var tryCount = 0
        /// Whether a login's password was wrong: it would be wrong each time, and each try counts.
        var refusesLogins = false
        /// What the session's sources can tell now.
        var coverage: @Sendable () -> SessionCoverage = { SessionCoverage() }
    }

    /// The volume.
    package let volume: ProtectedVolume
    let door: any MountDoor
    package let launch: AgentLaunch
    private let state = Mutex(State())
    private let listeners = Mutex<[@Sendable (AgentReply) -> Void]>([])
    private let observation = Mutex<LockObservation?>(nil)

    /// Takes a mounted volume.
    package init(_ volume: ProtectedVolume, door: any MountDoor, launch: AgentLaunch) {
        self.volume = volume
        self.door = door
        self.launch = launch
    }

    // MARK: - Telling

    /// Has somebody told of every event from now on, on the thread that locks or unlocks.
    package func listen(_ listener: @escaping @Sendable (AgentReply) -> Void) {
        listeners.withLock { $0.append(listener) }
        observation.withLock { observation in
            guard observation == nil else { return }
            observation = volume.observeLock { [weak self] event in
                switch event {
                case .current: break
                case .willBecomeUnavailable: self?.tell(.willBecomeUnavailable)
                case .didBecomeUnavailable: self?.tell(.didBecomeUnavailable)
                case .didBecomeAvailable: self?.tell(.didBecomeAvailable)
                }
            }
        }
    }

    private func tell(_ event: AgentReply.Event) {
        let reply = AgentReply(status: status, event: event)
        for listener in listeners.withLock({ $0 }) { listener(reply) }
    }

    /// How it is now.
    package var status: MountStatus {
        let (reason, readCoverage) = state.withLock { ($0.reason, $0.coverage) }
        let coverage = readCoverage()
        let lockState = volume.lockState
        var watched = coverage.watched.map(\.rawValue)
        if launch.idleMinutes != nil { watched.append("idle") }
        return MountStatus(
            volume: launch.volume, identifier: volume.identifier, folder: launch.folder,
            state: lockState, reason: lockState == .unlocked ? nil : reason,
            process: FolderCalls.process, graceSeconds: launch.graceSeconds,
            idleMinutes: launch.idleMinutes, isReadOnly: launch.isReadOnly,
            allowsOthers: launch.allowsOthers, watched: watched.sorted(),
            unwatched: Dictionary(
                uniqueKeysWithValues: coverage.unwatched.map { ($0.key.rawValue, $0.value) }))
    }

    /// Says how to find out what the session's sources can tell now.
    package func setCoverage(_ coverage: @escaping @Sendable () -> SessionCoverage) {
        state.withLock { $0.coverage = coverage }
    }

    // MARK: - Locking

    /// Locks at once, whatever grace runs; the keys are gone on return.
    package func lock(_ reason: LockReason) {
        note(reason)
        volume.lock()
    }

    /// Locks after the grace.
    package func lockAfterGrace(_ reason: LockReason) {
        note(reason)
        volume.lock(grace: .seconds(launch.graceSeconds))
        tell(.state)
    }

    /// Takes back a lock whose grace still runs.
    package func cancelGrace() {
        if volume.cancelGrace() { tell(.state) }
    }

    private func note(_ reason: LockReason) {
        let isLocked = !volume.isProtectedDataAvailable
        state.withLock { state in
            // Why it is locked is what locked it, not what came later.
            if !isLocked { state.reason = reason }
        }
    }

    /// Unlocks.
    ///
    /// - Parameters:
    ///   - isLogin: whether the passcode is a login's password, which need not be this volume's
    ///     passcode: after it was wrong once it is not tried again, so that logins cost no more
    ///     than one try.
    ///   - begun: when it was asked for; `nil` when that is this moment.
    /// - Throws: as `ProtectedVolume.unlock(passcode:)`.
    package func unlock(
        passcode: Passcode, isLogin: Bool, begun: UnlockMoment? = nil
    ) throws(ProtectionError) {
        try state.withLock { state throws(ProtectionError) in
            guard !isLogin || !state.refusesLogins else { throw .loginPasswordDiffers }
            state.tryCount += 1
        }
        defer { state.withLock { $0.tryCount -= 1 } }
        do throws(ProtectionError) {
            try volume.unlock(passcode: passcode, begun: begun ?? volume.beginUnlock())
        } catch {
            if isLogin, error.code == .wrongPasscode {
                state.withLock { $0.refusesLogins = true }
                throw .loginPasswordDiffers
            }
            throw error
        }
        state.withLock { $0.refusesLogins = false }
        // Within the grace nothing is posted.
        tell(.state)
    }

    /// Whether somebody should be asked for the passcode now.
    package var wantsPasscode: Bool {
        !volume.isProtectedDataAvailable && state.withLock { $0.tryCount } == 0
    }

    /// Does what a session's event asks for.
    package func hear(_ event: SessionEvent) {
        switch SessionResponse(to: event) {
        case .lockNow: lock(event == .lidClosed ? .lid : .sleep)
        case .lockAfterGrace: lockAfterGrace(.screen)
        case .cancelGrace: cancelGrace()
        case .nothing: break
        }
    }
}
