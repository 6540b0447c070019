internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Removes the passcode: from now on the device key alone opens the volume, and it never locks.
    ///
    /// Secrets that were kept `whenPasscodeSet` are deleted first, durably. The volume is unlocked
    /// afterwards. Nothing else is touched. Does nothing on a volume without a passcode.
    ///
    /// - Parameter passcode: the present one.
    /// - Throws: `wrongPasscode`, `throttled`, `deviceKey` when the volume was opened without its
    ///   device key, `host`. After `host` those secrets may be gone, and the passcode still there.
    public func removePasscode(_ passcode: Passcode) throws(ProtectionError) {
        guard let deviceKey else { throw .openedWithoutDeviceKey }
        guard hasPasscode else { return }
        // What is deleted must be found, also behind private names.
        try unlock(passcode: passcode)
        try secrets.changing { () throws(ProtectionError) in
            try secrets.deleteWhatNeedsPasscode()
            try changeKeybag(passcode: passcode) { keybag, secret throws(CryptographyError) in
                try keybag.removePasscode(secret: secret, deviceKey: deviceKey)
                return true
            }
        }
        core.keyring.hasPasscode.store(false, ordering: .relaxed)
        // A lock may have come in between, and nothing would end it any more.
        let keybag = keybag.withLock { $0 }
        if let secret = try keybag.secretWithoutPasscode(deviceKey: deviceKey) {
            try adopt(secret, keybag, beginUnlock())
        }
        // The passcode is gone, whether or not the count of wrong ones can be set back now.
        try? clearAttempts()
    }
}
