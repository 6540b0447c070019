import Cryptography
import DataProtection

/// A volume's keys that are always the same, so that a finding can be repeated.
final class FixedKeys: @unchecked Sendable {
    let keybag: Keybag
    let keyring: Keyring
    let metadata: MetadataKeys
    let device: DeviceKey
    let volumeIdentifier = [UInt8](0x40..<0x50)

    /// The keys of an unlocked volume, by the number of its cipher.
    static func of(_ cipher: AEADAlgorithm) -> FixedKeys {
        cipher == .xaes256GCM ? aes : chacha
    }

    private static let aes = make(.xaes256GCM)
    private static let chacha = make(.xChaCha20Poly1305)
    static let passcode = "fuzz"

    private static func make(_ cipher: AEADAlgorithm) -> FixedKeys {
        do { return try FixedKeys(cipher) } catch { fatalError("\(error)") }
    }

    private init(_ cipher: AEADAlgorithm) throws {
        device = try DeviceKey.inMemory()
        let root = try Self.key(0)
        let secret = try Self.key(100)
        var record = KeybagRecord(
            volumeIdentifier: volumeIdentifier, cipher: cipher.rawValue, ruleSet: .safer,
            defaultClass: .none, hasPrivateNames: false, delaysPasscodes: false,
            deviceIdentifier: device.identifier, publicKey: [UInt8](repeating: 0, count: 32))
        let bare = Keybag(record: record)
        let agreement = try bare.derive(secret, "class completeUnlessOpen")
        record.publicKey = try KeyAgreement.publicKey(of: agreement)
        var keybag = Keybag(record: record)
        let secrets = VolumeSecrets(root: root, secret: secret)
        try keybag.bindRoot(secrets, to: device)
        try keybag.setPasscode(
            Passcode(Self.passcode), cost: PasscodeCost(operations: 1, memoryByteCount: 8192),
            secret: secrets.secret, deviceKey: device)
        keyring = try Keyring(keybag: keybag, root: secrets.root)
        try keybag.sign(key: keyring.keybagKey)
        try keyring.unlock(keybag: keybag, secret: secrets.secret)
        metadata = try keyring.metadata()
        self.keybag = keybag
    }

    /// 32 bytes that count up.
    static func key(_ start: UInt8) throws -> SecretKey {
        let bytes = (0..<32).map { UInt8($0) + start }
        return try SecretKey(copying: bytes.span)
    }
}

extension AEADAlgorithm {
    /// Both ciphers.
    static let both = [AEADAlgorithm.xaes256GCM, .xChaCha20Poly1305]
}
