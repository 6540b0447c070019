package import Cryptography

/// The two secrets of a volume that was just made, or opened with everything.
package struct VolumeSecrets: ~Copyable {
    /// The volume root.
    package let root: SecretKey
    /// The keybag secret.
    package let secret: SecretKey

    /// Puts two secrets together.
    package init(root: consuming SecretKey, secret: consuming SecretKey) {
        self.root = root
        self.secret = secret
    }

    /// Draws the secrets of a new volume.
    package static func random() throws(CryptographyError) -> VolumeSecrets {
        VolumeSecrets(root: try SecretKey.random(), secret: try SecretKey.random())
    }
}

extension Keybag {
    /// Makes the keybag of a new volume, still without a slot.
    package static func make(
        _ configuration: VolumeConfiguration, secrets: borrowing VolumeSecrets, deviceKey: DeviceKey
    ) throws(CryptographyError) -> Keybag {
        let volumeIdentifier = SecureRandom.bytes(identifierByteCount)
        var keybag = Keybag(
            record: KeybagRecord(
                volumeIdentifier: volumeIdentifier, cipher: configuration.cipher.algorithm.rawValue,
                ruleSet: configuration.ruleSet, defaultClass: configuration.defaultClass,
                hasPrivateNames: configuration.hasPrivateNames,
                delaysPasscodes: configuration.delaysPasscodes,
                deviceIdentifier: deviceKey.identifier,
                publicKey: [UInt8](repeating: 0, count: 32)))
        let agreementKey = try keybag.derive(secrets.secret, "class completeUnlessOpen")
        keybag.record.publicKey = try KeyAgreement.publicKey(of: agreementKey)
        try keybag.bindRoot(secrets, to: deviceKey)
        let under = try keybag.derive(secrets.secret, "volume root keybag")
        keybag.record.rootUnderKeybag = try KeyWrap.wrap(
            secrets.root, under: under, algorithm: keybag.algorithm,
            authenticating: FormatLabel.bytes("volume root keybag") + volumeIdentifier)
        return keybag
    }

    /// Puts the volume root under a device key, and forgets the device before it.
    ///
    /// Slots that need the former device key are dropped with it.
    package mutating func bindRoot(
        _ secrets: borrowing VolumeSecrets, to deviceKey: DeviceKey
    ) throws(CryptographyError) {
        if record.deviceIdentifier != deviceKey.identifier {
            record.removeSlots { $0.kind != .recoveryKey }
        }
        record.deviceIdentifier = deviceKey.identifier
        let under = try Self.deviceWrapKey(deviceKey, record)
        record.rootUnderDevice = try KeyWrap.wrap(
            secrets.root, under: under, algorithm: algorithm,
            authenticating: Self.deviceWrapContext(record))
    }

    /// Makes this the one passcode, in place of any other and of none.
    package mutating func setPasscode(
        _ passcode: Passcode, cost: PasscodeCost, secret: borrowing SecretKey, deviceKey: DeviceKey
    ) throws(CryptographyError) {
        var slot = KeybagSlot(
            kind: .passcode, passCount: cost.operations, memoryByteCount: cost.memoryByteCount,
            salt: SecureRandom.bytes(16), identifier: SecureRandom.bytes(identifierByteCount))
        let key = try Self.slotKey(slot, record, passcode: passcode, deviceKey: deviceKey)
        try wrap(secret, into: &slot, under: key)
        record.removeSlots { $0.kind != .recoveryKey }
        record.add(slot)
    }

    /// Makes the device key alone open it, in place of any passcode.
    package mutating func removePasscode(
        secret: borrowing SecretKey, deviceKey: DeviceKey
    ) throws(CryptographyError) {
        var slot = KeybagSlot(
            kind: .deviceKeyAlone, identifier: SecureRandom.bytes(identifierByteCount))
        let key = try Self.slotKey(slot, record, deviceKey: deviceKey)
        try wrap(secret, into: &slot, under: key)
        record.removeSlots { $0.kind != .recoveryKey }
        record.add(slot)
    }

    /// Makes this the one recovery key.
    package mutating func setRecoveryKey(
        _ recoveryKey: RecoveryKey, secret: borrowing SecretKey
    ) throws(CryptographyError) {
        var slot = KeybagSlot(
            kind: .recoveryKey, identifier: SecureRandom.bytes(identifierByteCount))
        let key = try Self.slotKey(slot, record, recoveryKey: recoveryKey)
        try wrap(secret, into: &slot, under: key)
        removeRecoveryKey()
        record.add(slot)
    }

    /// Removes the recovery key's slot.
    package mutating func removeRecoveryKey() {
        record.removeSlots { $0.kind == .recoveryKey }
    }

    /// Counts the change and authenticates the whole; the last step before writing.
    package mutating func sign(key: borrowing SecretKey) throws(CryptographyError) {
        record.generation += 1
        let bytes = record.authenticatedBytes
        record.code = try HMACSHA256.authenticate(bytes.span, key: key)
    }

    private func wrap(
        _ secret: borrowing SecretKey, into slot: inout KeybagSlot, under key: borrowing SecretKey
    ) throws(CryptographyError) {
        slot.wrappedSecret = try KeyWrap.wrap(
            secret, under: key, algorithm: algorithm,
            authenticating: Self.slotContext(slot, record))
    }
}
