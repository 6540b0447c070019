public import DataProtection
internal import Foundation
internal import Synchronization

/// The lock, as a person works it.
extension SimulatedDevice {
    /// Types the passcode. Within the grace this cancels the lock, and nobody is told.
    ///
    /// Wrong passcodes are answered with Apple's delays, on a clock that only `advance(by:)` moves:
    /// setting the date shortens no delay, and a restart begins it afresh. The same wrong passcode
    /// again does not count. The tenth disables the passcode, for good, or erases the device if
    /// the options say so. A device without a passcode is unlocked whatever is typed.
    ///
    /// - Parameter passcode: what is typed.
    /// - Throws: `wrongPasscode`, and after the tenth the device may be erased; `throttled` while a
    ///   delay runs, and `closed` when the device is off. The lock state is then unchanged.
    public func unlock(passcode: String) throws(ProtectionError) {
        turn.lock()
        defer { turn.unlock() }
        let volume = try volume
        guard volume.hasPasscode else { return }
        do throws(ProtectionError) {
            try volume.unlock(passcode: try Passcode(passcode))
        } catch {
            guard options.erasesAfterTenWrongPasscodes,
                try volume.wrongPasscodeCount() >= PasscodeDelays.failureCountMaximum
            else { throw error }
            try erase(volume)
            throw .wrongPasscodeErases
        }
        state.withLock { state in
            state.graceEnd = nil
            state.idleEnd = nil
        }
    }

    /// Presses the side button: the keys of `complete` stay for the grace, which `advance(by:)`
    /// ends.
    ///
    /// Pressing it again makes the grace no longer. Nothing happens before the first unlock, on a
    /// device without a passcode, and while it is off.
    public func lock() {
        turn.lock()
        defer { turn.unlock() }
        guard let volume = try? volume, let grace = volume.beginGrace() else { return }
        let now = clock.now
        state.withLock { state in
            state.graceEnd = (now.advanced(by: options.grace), grace)
            state.idleEnd = options.idleReboot.map { now.advanced(by: $0) }
        }
        if options.grace <= .zero { endWhatIsDue() }
    }

    /// Locks without grace: the keys of `complete` are gone on return. Ends a grace that runs.
    public func lockAtOnce() {
        turn.lock()
        defer { turn.unlock() }
        guard let volume = try? volume else { return }
        volume.lock()
        state.withLock { $0.graceEnd = nil }
        awaitIdle(volume)
    }

    /// Begins to count the time in the locked state, unless it is counted already.
    func awaitIdle(_ volume: ProtectedVolume) {
        guard volume.lockState == .locked, let idleReboot = options.idleReboot else { return }
        let end = clock.now.advanced(by: idleReboot)
        state.withLock { $0.idleEnd = $0.idleEnd ?? end }
    }

    private func erase(_ volume: ProtectedVolume) throws(ProtectionError) {
        let wasAvailable = volume.isProtectedDataAvailable
        state.withLock { state in
            state.power = .erased
            state.observation = nil
            state.graceEnd = nil
            state.idleEnd = nil
        }
        defer { if wasAvailable { tell(.didBecomeUnavailable) } }
        try volume.erase()
    }
}
