internal import Cryptography

// The keys and contexts of the keybag's wraps, as docs/format.md 5 lists them.

extension Keybag {
    static func deviceWrapKey(
        _ deviceKey: DeviceKey, _ record: KeybagRecord
    ) throws(CryptographyError) -> SecretKey {
        try HKDF.deriveKey(
            from: deviceKey.key, salt: record.volumeIdentifier,
            info: FormatLabel.bytes("volume root device"))
    }

    static func deviceWrapContext(_ record: KeybagRecord) -> [UInt8] {
        FormatLabel.bytes("volume root device") + record.volumeIdentifier
            + record.deviceIdentifier
    }

    static func slotContext(_ slot: KeybagSlot, _ record: KeybagRecord) -> [UInt8] {
        FormatLabel.bytes("slot") + record.volumeIdentifier + slot.boundBytes
    }

    static func slotKey(
        _ slot: KeybagSlot, _ record: KeybagRecord, passcode: Passcode, deviceKey: DeviceKey
    ) throws(CryptographyError) -> SecretKey {
        let stretched = try passcode.withBytes { bytes throws(CryptographyError) in
            try PasscodeDerivation.argon2id(
                passcode: bytes, salt: slot.salt.span,
                cost: PasscodeCost(
                    operations: slot.passCount, memoryByteCount: slot.memoryByteCount))
        }
        return try HKDF.deriveKey(
            from: stretched, saltKey: deviceKey.key,
            info: FormatLabel.bytes("slot passcode") + record.volumeIdentifier + slot.identifier)
    }

    static func slotKey(
        _ slot: KeybagSlot, _ record: KeybagRecord, recoveryKey: RecoveryKey
    ) throws(CryptographyError) -> SecretKey {
        let info = FormatLabel.bytes("slot recovery") + slot.identifier
        var bytes = try recoveryKey.withBytes { recovery throws(CryptographyError) in
            try HKDF.deriveBytes(
                from: recovery, salt: record.volumeIdentifier.span, info: info.span,
                outputByteCount: SecretKey.byteCount)
        }
        defer { Wipe.zero(&bytes) }
        return try SecretKey(copying: bytes.span)
    }

    static func slotKey(
        _ slot: KeybagSlot, _ record: KeybagRecord, deviceKey: DeviceKey
    ) throws(CryptographyError) -> SecretKey {
        try HKDF.deriveKey(
            from: deviceKey.key, salt: record.volumeIdentifier,
            info: FormatLabel.bytes("slot device") + slot.identifier)
    }
}
