internal import Cryptography

/// Seals what only this device may read, under a key that the recovery key does not give.
struct DeviceSeal {
    private let volumeIdentifier: [UInt8]
    private let deviceKey: DeviceKey
    private let algorithm: AEADAlgorithm

    /// - Throws: `deviceKey` when the volume was opened without its device key.
    init(_ volume: ProtectedVolume) throws(ProtectionError) {
        guard let deviceKey = volume.deviceKey else { throw .openedWithoutDeviceKey }
        self.deviceKey = deviceKey
        volumeIdentifier = volume.core.keyring.volumeIdentifier
        algorithm = volume.core.keyring.algorithm
    }

    /// Seals a secret's value, bound to its key.
    func seal(_ value: [UInt8], of key: [UInt8]) throws(ProtectionError) -> [UInt8] {
        try translating { () throws(CryptographyError) in
            let sealing = try sealingKey()
            return try SealedValue.seal(
                value, context: context(key), key: sealing, algorithm: algorithm)
        }
    }

    /// Opens a secret's value. The file was authentic, so what does not open is another device's.
    func open(_ sealed: [UInt8], of key: [UInt8]) throws(ProtectionError) -> [UInt8] {
        try translating(.anotherDevicesSecret) { () throws(CryptographyError) in
            let sealing = try sealingKey()
            return try SealedValue.open(
                sealed, context: context(key), key: sealing, algorithm: algorithm)
        }
    }

    private func sealingKey() throws(CryptographyError) -> SecretKey {
        try HKDF.deriveKey(
            from: deviceKey.key, salt: volumeIdentifier,
            info: FormatLabel.bytes("secret this device"))
    }

    private func context(_ key: [UInt8]) -> [UInt8] {
        FormatLabel.bytes("secret") + volumeIdentifier + key
    }
}
