internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Tries a passcode; on a volume with delays the try is counted, durably, before it is made.
    func secret(passcode: Passcode, _ keybag: Keybag) throws(ProtectionError) -> SecretKey {
        guard let deviceKey else { throw .openedWithoutDeviceKey }
        guard keybag.record.delaysPasscodes else {
            return try keybag.secret(passcode: passcode, deviceKey: deviceKey)
        }
        // One at a time on this device, whoever tries: guesses side by side would count as one.
        return try passcodeTries.withLock { _ throws(ProtectionError) in
            try deviceKey.attempts.exclusively { () throws(ProtectionError) in
                try countedSecret(passcode: passcode, keybag, deviceKey)
            }
        }
    }

    private func countedSecret(
        passcode: Passcode, _ keybag: Keybag, _ deviceKey: DeviceKey
    ) throws(ProtectionError) -> sending SecretKey {
        let before = try loadAttempts(deviceKey)
        let now = wallClock()
        guard let left = PasscodeDelays.secondsLeft(before, now: now) else { throw .disabled }
        guard left == 0 else { throw .throttled(secondsLeft: left) }
        var counted = before
        counted.failureCount += 1
        counted.lastFailure = now
        try saveAttempts(counted, deviceKey)
        let tried = try keybag.tryPasscode(passcode, deviceKey: deviceKey)
        switch consume tried {
        case .right(let secret):
            try saveAttempts(PasscodeAttempts(), deviceKey)
            return secret
        case .wrong(let mark):
            // The same wrong passcode again is one mistake, not two.
            var after = mark == before.lastMark ? before : counted
            after.lastMark = mark
            try saveAttempts(after, deviceKey)
            throw .wrongPasscode
        }
    }

    /// How many wrong passcodes there were in a row; 0 on a volume that does not count them.
    package func wrongPasscodeCount() throws(ProtectionError) -> UInt32 {
        guard let deviceKey, keybag.withLock({ $0.record.delaysPasscodes }) else { return 0 }
        return try loadAttempts(deviceKey).failureCount
    }

    /// Begins a delay that runs afresh, as a restart of an Apple device does (Platform Security
    /// guide, *Passcodes and passwords*).
    package func restartPasscodeDelay() throws(ProtectionError) {
        guard let deviceKey, keybag.withLock({ $0.record.delaysPasscodes }) else { return }
        try passcodeTries.withLock { _ throws(ProtectionError) in
            var attempts = try loadAttempts(deviceKey)
            guard attempts.failureCount > 0 else { return }
            attempts.lastFailure = wallClock()
            try saveAttempts(attempts, deviceKey)
        }
    }

    func clearAttempts() throws(ProtectionError) {
        guard let deviceKey, keybag.withLock({ $0.record.delaysPasscodes }) else { return }
        try saveAttempts(PasscodeAttempts(), deviceKey)
    }

    private func loadAttempts(_ deviceKey: DeviceKey) throws(ProtectionError) -> PasscodeAttempts {
        let identifier = core.keyring.volumeIdentifier
        let bytes = try onHost { () throws(HostError) in
            try deviceKey.attempts.load(volumeIdentifier: identifier)
        }
        guard let bytes else { return PasscodeAttempts() }
        let attempts = try translating { () throws(CryptographyError) in
            try PasscodeAttempts.read(
                bytes, volumeIdentifier: identifier, deviceKey: deviceKey.key)
        }
        guard let attempts else {
            throw .damaged(
                "the count of wrong passcodes beside the device key is damaged",
                remedy: "open the volume with its recovery key")
        }
        return attempts
    }

    func saveAttempts(
        _ attempts: PasscodeAttempts, _ deviceKey: DeviceKey
    ) throws(ProtectionError) {
        let identifier = core.keyring.volumeIdentifier
        let bytes = try translating { () throws(CryptographyError) in
            try attempts.bytes(volumeIdentifier: identifier, deviceKey: deviceKey.key)
        }
        try onHost { () throws(HostError) in
            try deviceKey.attempts.save(bytes, volumeIdentifier: identifier)
        }
    }
}
