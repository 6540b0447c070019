internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Changes the passcode. One slot of the keybag is written anew in both copies; no file is
    /// touched.
    ///
    /// - Parameters:
    ///   - old: the present passcode; `nil` on a volume without one.
    ///   - new: the next one.
    ///   - cost: what trying it costs from now on; `nil` leaves it as it is.
    /// - Throws: `wrongPasscode`, `throttled`, `deviceKey` when the volume was opened without its
    ///   device key, `host`. The old passcode is then still the right one, unless the first of the
    ///   two copies was already written: then the new one is.
    public func changePasscode(
        from old: Passcode?, to new: Passcode, cost: KeyDerivationCost? = nil
    ) throws(ProtectionError) {
        guard let deviceKey else { throw .openedWithoutDeviceKey }
        let cost = cost ?? passcodeCost ?? .moderate
        try changeKeybag(passcode: old) { keybag, secret throws(CryptographyError) in
            try keybag.setPasscode(new, cost: cost.cost, secret: secret, deviceKey: deviceKey)
            return true
        }
        core.keyring.hasPasscode.store(true, ordering: .relaxed)
        // The passcode is changed, whether or not the count of wrong ones can be set back now.
        try? clearAttempts()
    }

    /// Makes a new recovery key; an earlier one stops working.
    ///
    /// - Parameters:
    ///   - passcode: the present passcode; `nil` on a volume without one.
    ///   - confirm: called with the key before anything is changed, for instance to print it. When
    ///     it throws, an earlier recovery key goes on working. It must not call the volume.
    /// - Returns: the key, shown this once. Nothing of it is kept but what it opens.
    /// - Throws: what `confirm` throws, and as `changePasscode(from:to:cost:)`.
    @discardableResult
    public func makeRecoveryKey(
        passcode: Passcode?, confirm: (RecoveryKey) throws -> Void = { _ in }
    ) throws -> RecoveryKey {
        let recoveryKey = RecoveryKey()
        var refusal: (any Error)?
        try changeKeybag(passcode: passcode) { keybag, secret throws(CryptographyError) in
            do { try confirm(recoveryKey) } catch { refusal = error }
            guard refusal == nil else { return false }
            try keybag.setRecoveryKey(recoveryKey, secret: secret)
            return true
        }
        if let refusal { throw refusal }
        return recoveryKey
    }

    /// Removes the recovery key; it stops working.
    ///
    /// - Parameter passcode: the present passcode; `nil` on a volume without one.
    public func removeRecoveryKey(passcode: Passcode?) throws(ProtectionError) {
        try changeKeybag(passcode: passcode) { keybag, _ throws(CryptographyError) in
            keybag.removeRecoveryKey()
            return true
        }
    }

    /// Binds a volume to this machine's device key, with a new passcode: the way in after the old
    /// device key was lost.
    ///
    /// - Parameters:
    ///   - recoveryKey: opens the volume.
    ///   - deviceKey: the device key it needs from now on; open the volume again with it.
    ///   - passcode: the new passcode; `nil` for none.
    ///   - cost: what trying it costs; `nil` leaves it as it is.
    ///
    /// Without a passcode the volume is unlocked afterwards, and secrets that were kept
    /// `whenPasscodeSet` are gone.
    /// - Throws: `wrongPasscode`, `host`.
    public func restore(
        recoveryKey: RecoveryKey, deviceKey: DeviceKey, passcode: Passcode?,
        cost: KeyDerivationCost? = nil
    ) throws(ProtectionError) {
        guard let passcode else {
            try unlock(recoveryKey: recoveryKey)
            return try secrets.changing { () throws(ProtectionError) in
                try secrets.deleteWhatNeedsPasscode()
                try rebind(recoveryKey, to: deviceKey, nil, cost)
            }
        }
        try rebind(recoveryKey, to: deviceKey, passcode, cost)
    }

    private func rebind(
        _ recoveryKey: RecoveryKey, to deviceKey: DeviceKey, _ passcode: Passcode?,
        _ cost: KeyDerivationCost?
    ) throws(ProtectionError) {
        let cost = cost ?? passcodeCost ?? .moderate
        try keybag.withLock { keybag throws(ProtectionError) in
            try core.requireOpen()
            let secret = try keybag.secret(recoveryKey: recoveryKey)
            let secrets = VolumeSecrets(root: try keybag.root(secret: secret), secret: secret)
            var changed = keybag
            do throws(CryptographyError) {
                try changed.bindRoot(secrets, to: deviceKey)
                if let passcode {
                    try changed.setPasscode(
                        passcode, cost: cost.cost, secret: secrets.secret, deviceKey: deviceKey)
                } else {
                    try changed.removePasscode(secret: secrets.secret, deviceKey: deviceKey)
                }
                try changed.sign(key: core.keyring.keybagKey)
            } catch {
                throw ProtectionError(error)
            }
            try requireKeybag()
            try KeybagFiles(folder: core.store.root).write(changed.record)
            keybag = changed
            core.keyring.hasPasscode.store(passcode != nil, ordering: .relaxed)
            // The passcode is new, so what was counted against the former one is over.
            if changed.record.delaysPasscodes {
                try? saveAttempts(PasscodeAttempts(), deviceKey)
            }
        }
    }

    /// What trying the passcode costs; `nil` on a volume without one.
    public var passcodeCost: KeyDerivationCost? {
        keybag.withLock { $0.record.slots.first { $0.kind == .passcode } }.map {
            KeyDerivationCost(passCount: $0.passCount, memoryByteCount: $0.memoryByteCount)
        }
    }

    /// Destroys both copies of the keybag, and closes the volume. Nothing in it can ever be read
    /// again.
    public func erase() throws(ProtectionError) {
        try keybag.withLock { _ throws(ProtectionError) in
            try core.requireOpen()
            try KeybagFiles(folder: core.store.root).destroy()
            isErased.store(true, ordering: .releasing)
        }
        try close()
    }

    /// Refuses to write a keybag that would outlive the volume's ownership, or its erasure.
    private func requireKeybag() throws(ProtectionError) {
        try core.requireOpen()
        guard !isErased.load(ordering: .acquiring) else { throw .closed }
    }

    /// Destroys both copies of a volume's keybag. Nothing in it can ever be read again.
    ///
    /// No key is needed, so a volume whose keys are lost can be erased too.
    /// - Throws: `notAVolume`, `busy`, `forbidden`.
    public static func erase(at path: String) throws(ProtectionError) {
        do throws(ProtectionError) {
            let store = try existingStore(at: path)
            let files = KeybagFiles(folder: store.root)
            do throws(ProtectionError) {
                _ = try files.read()
            } catch  where error.code == .damaged || error.code == .newerFormat {
                // What cannot be read any more can still be made sure of.
            }
            try own(store)
            defer { store.releaseOwnership() }
            try files.destroy()
        } catch {
            throw error.at(path)
        }
    }

    /// Changes the keybag and writes it, unless `change` says that there is nothing to write.
    func changeKeybag(
        passcode: Passcode?,
        _ change: (inout Keybag, borrowing SecretKey) throws(CryptographyError) -> Bool
    ) throws(ProtectionError) {
        try keybag.withLock { keybag throws(ProtectionError) in
            try core.requireOpen()
            let secret = try currentSecret(passcode: passcode, keybag)
            var changed = keybag
            do throws(CryptographyError) {
                guard try change(&changed, secret) else { return }
                try changed.sign(key: core.keyring.keybagKey)
            } catch {
                throw ProtectionError(error)
            }
            // The key derivation took its time.
            try requireKeybag()
            try KeybagFiles(folder: core.store.root).write(changed.record)
            keybag = changed
        }
    }

    private func currentSecret(
        passcode: Passcode?, _ keybag: Keybag
    ) throws(ProtectionError) -> SecretKey {
        if let passcode, keybag.hasPasscode { return try secret(passcode: passcode, keybag) }
        guard let deviceKey else { throw .openedWithoutDeviceKey }
        let secret = try keybag.secretWithoutPasscode(deviceKey: deviceKey)
        switch consume secret {
        case .some(let secret): return secret
        case .none: throw .wrongPasscode
        }
    }
}
