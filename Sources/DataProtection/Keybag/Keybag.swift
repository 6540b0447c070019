package import Cryptography

/// A keybag and what can be done with it: find its secrets, change its slots.
///
/// A change makes a new record; nothing counts until `KeybagFiles` has written it.
package struct Keybag: Sendable {
    /// The record as it is, or is to be, stored.
    package internal(set) var record: KeybagRecord

    /// A keybag that was read.
    package init(record: KeybagRecord) { self.record = record }

    /// The AEAD of this volume.
    package var algorithm: AEADAlgorithm {
        AEADAlgorithm(rawValue: record.cipher)!  // checked when the record was read
    }

    /// Whether a passcode opens it; if not, the device key alone does, and it never locks.
    package var hasPasscode: Bool { record.slots.contains { $0.kind == .passcode } }

    /// Whether a recovery key opens it.
    package var hasRecoveryKey: Bool { record.slots.contains { $0.kind == .recoveryKey } }

    /// Derives the key of a purpose from a root of this volume.
    package func derive(
        _ root: borrowing SecretKey, _ purpose: String
    ) throws(CryptographyError) -> SecretKey {
        try HKDF.deriveKey(
            from: root, salt: record.volumeIdentifier, info: FormatLabel.bytes(purpose))
    }
}

// MARK: - Finding the secrets

extension Keybag {
    /// The volume root, by the device key.
    ///
    /// - Throws: `deviceKey` when it is another device's, `damaged` when the record is not
    ///   authentic.
    package func root(deviceKey: DeviceKey) throws(ProtectionError) -> SecretKey {
        guard deviceKey.identifier == record.deviceIdentifier else { throw .deviceKeyOfAnother }
        let record = record
        let algorithm = algorithm
        let root = try translating(.damaged("the keybag does not belong to its device key")) {
            () throws(CryptographyError) in
            let under = try Self.deviceWrapKey(deviceKey, record)
            return try KeyWrap.unwrap(
                record.rootUnderDevice, under: under, algorithm: algorithm,
                authenticating: Self.deviceWrapContext(record))
        }
        try verify(root: root)
        return root
    }

    /// The volume root, by the keybag secret.
    package func root(secret: borrowing SecretKey) throws(ProtectionError) -> SecretKey {
        let root: SecretKey
        do {
            let under = try derive(secret, "volume root keybag")
            root = try KeyWrap.unwrap(
                record.rootUnderKeybag, under: under, algorithm: algorithm,
                authenticating: FormatLabel.bytes("volume root keybag") + record.volumeIdentifier)
        } catch .authenticationFailed {
            throw .damaged("the keybag's volume root is damaged")
        } catch {
            throw ProtectionError(error)
        }
        try verify(root: root)
        return root
    }

    private func verify(root: borrowing SecretKey) throws(ProtectionError) {
        let isAuthentic: Bool
        do throws(CryptographyError) {
            let key = try derive(root, "keybag")
            let bytes = record.authenticatedBytes
            isAuthentic = try HMACSHA256.verify(record.code.span, of: bytes.span, key: key)
        } catch {
            throw ProtectionError(error)
        }
        guard isAuthentic else { throw .damaged("the keybag is not the one that was written") }
    }

    /// The keybag secret, by a passcode. Takes as long as the slot's cost says.
    ///
    /// - Throws: `wrongPasscode`.
    package func secret(
        passcode: Passcode, deviceKey: DeviceKey
    ) throws(ProtectionError) -> SecretKey {
        let tried = try tryPasscode(passcode, deviceKey: deviceKey)
        switch consume tried {
        case .right(let secret): return secret
        case .wrong: throw .wrongPasscode
        }
    }

    /// What a try of a passcode found.
    package enum PasscodeTry: ~Copyable {
        /// It opens the keybag.
        case right(SecretKey)
        /// It does not. The mark is equal for equal wrong passcodes, and as dear to test as the
        /// keybag.
        case wrong(mark: [UInt8])
    }

    /// Tries a passcode. Takes as long as the slot's cost says.
    package func tryPasscode(
        _ passcode: Passcode, deviceKey: DeviceKey
    ) throws(ProtectionError) -> PasscodeTry {
        var mark: [UInt8]?
        for slot in record.slots where slot.kind == .passcode {
            let record = record
            let key = try translating { () throws(CryptographyError) in
                try Self.slotKey(slot, record, passcode: passcode, deviceKey: deviceKey)
            }
            if let secret = try open(slot, with: key) { return .right(secret) }
            if mark == nil { mark = try Self.mark(of: key, slot) }
        }
        guard let mark else { throw .wrongPasscode }
        return .wrong(mark: mark)
    }

    private static func mark(
        of key: borrowing SecretKey, _ slot: KeybagSlot
    ) throws(ProtectionError) -> [UInt8] {
        do {
            let mark = try HKDF.deriveKey(
                from: key, salt: slot.salt, info: FormatLabel.bytes("wrong passcode"))
            return SHA256.hash(mark.bytes)
        } catch {
            throw ProtectionError(error)
        }
    }

    /// The keybag secret, by a recovery key alone.
    ///
    /// - Throws: `wrongPasscode`.
    package func secret(recoveryKey: RecoveryKey) throws(ProtectionError) -> SecretKey {
        for slot in record.slots where slot.kind == .recoveryKey {
            let record = record
            let key = try translating { () throws(CryptographyError) in
                try Self.slotKey(slot, record, recoveryKey: recoveryKey)
            }
            if let secret = try open(slot, with: key) { return secret }
        }
        throw .wrongRecoveryKey
    }

    /// The keybag secret of a volume without a passcode.
    ///
    /// - Returns: `nil` when it has one.
    package func secretWithoutPasscode(deviceKey: DeviceKey) throws(ProtectionError) -> SecretKey? {
        for slot in record.slots where slot.kind == .deviceKeyAlone {
            let record = record
            let key = try translating { () throws(CryptographyError) in
                try Self.slotKey(slot, record, deviceKey: deviceKey)
            }
            if let secret = try open(slot, with: key) { return secret }
            throw .damaged("the keybag does not belong to its device key")
        }
        return nil
    }

    private func open(
        _ slot: KeybagSlot, with key: borrowing SecretKey
    ) throws(ProtectionError) -> SecretKey? {
        do {
            return try KeyWrap.unwrap(
                slot.wrappedSecret, under: key, algorithm: algorithm,
                authenticating: Self.slotContext(slot, record))
        } catch .authenticationFailed {
            return nil
        } catch {
            throw ProtectionError(error)
        }
    }
}
