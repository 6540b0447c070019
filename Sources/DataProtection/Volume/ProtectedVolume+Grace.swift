internal import Synchronization

extension ProtectedVolume {
    /// Takes back a lock whose grace still runs: for who knows the user by another way than the
    /// passcode, as a session that was unlocked.
    ///
    /// Nothing is posted. Once *will become unavailable* was announced the lock goes on, and the
    /// passcode is needed.
    /// - Returns: whether there was such a lock; the state is then `unlocked`.
    @discardableResult
    public func cancelGrace() -> Bool {
        lockProgress.withLock { progress in
            guard core.isOpen.load(ordering: .acquiring), !progress.isImmediate,
                core.keyring.cancelGrace()
            else { return false }
            progress.generation += 1
            progress.stateStreams.tell(.unlocked)
            return true
        }
    }
}

extension Keyring {
    /// Goes back to `unlocked` while every key is still here.
    ///
    /// - Returns: whether the state was `grace`; otherwise nothing happens.
    func cancelGrace() -> Bool {
        keys.withLock { keys in
            guard keys.state == .grace else { return false }
            keys.state = .unlocked
            return true
        }
    }
}
