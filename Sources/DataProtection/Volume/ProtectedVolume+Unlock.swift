internal import Cryptography
internal import Synchronization

/// When an unlock began, counted in locks that were asked for.
package struct UnlockMoment: Sendable {
    let requestCount: Int
}

extension ProtectedVolume {
    /// Unlocks with the passcode. Takes as long as one try costs (`KeyDerivationCost`).
    ///
    /// During the grace after a lock this cancels the lock, and nothing is posted. A lock that is
    /// asked for while this goes on wins: the volume is not unlocked, not even for a moment.
    /// - Throws: `wrongPasscode`, `throttled`, `damaged`, and `sealed` when a lock came meanwhile;
    ///   the state is then unchanged.
    public func unlock(passcode: Passcode) throws(ProtectionError) {
        try unlock(passcode: passcode, begun: beginUnlock())
    }

    /// Unlocks with the recovery key; otherwise as `unlock(passcode:)`.
    ///
    /// - Throws: `wrongPasscode`, `damaged`, and `sealed` when a lock came meanwhile; the state is
    ///   then unchanged.
    public func unlock(recoveryKey: RecoveryKey) throws(ProtectionError) {
        let begun = beginUnlock()
        let keybag = keybag.withLock { $0 }
        let secret = try keybag.secret(recoveryKey: recoveryKey)
        try adopt(secret, keybag, begun)
    }

    /// The moment at which somebody asks for an unlock, which may have to wait for its turn.
    package func beginUnlock() -> UnlockMoment {
        UnlockMoment(requestCount: lockProgress.withLock { $0.requestCount })
    }

    /// Unlocks with the passcode, unless a lock was asked for since a moment.
    package func unlock(
        passcode: Passcode, begun: UnlockMoment
    ) throws(ProtectionError) {
        let keybag = keybag.withLock { $0 }
        let secret = try self.secret(passcode: passcode, keybag)
        try adopt(secret, keybag, begun)
    }

    func adopt(
        _ secret: borrowing SecretKey, _ keybag: Keybag, _ begun: UnlockMoment
    ) throws(ProtectionError) {
        // The key derivation is over, and nothing is unlocked yet.
        core.unlockSeam.begin("unlock")
        var isFirstUnlock = false
        // The state changes under the lock under which its event is queued: what is told last is
        // what holds.
        try lockProgress.withLock { progress throws(ProtectionError) in
            try core.requireOpen()
            if progress.requestCount != begun.requestCount {
                // Taken back meanwhile, or undone by an unlock that began after it.
                if core.keyring.state == .unlocked { return }
                throw .lockedMeanwhile
            }
            let before = try core.keyring.unlock(keybag: keybag, secret: secret)
            guard before != .unlocked else { return }
            progress.generation += 1
            if before != .grace || progress.hasAnnounced { progress.post(.didBecomeAvailable) }
            progress.hasAnnounced = false
            progress.stateStreams.tell(.unlocked)
            isFirstUnlock = before == .beforeFirstUnlock
        }
        // Names that were private could not be swept when the volume was opened.
        if isFirstUnlock, hasPrivateNames { sweepTemporaryItems() }
        deliver()
    }
}
