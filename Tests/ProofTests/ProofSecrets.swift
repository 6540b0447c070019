import CCrypto
import Cryptography
import DataProtection

/// All secrets of a volume, derived from its files, its device key and its passcode, as
/// docs/format.md says, without asking the process that has it open.
final class ProofSecrets {
    typealias Named = (name: String, bytes: [UInt8])

    /// Of the volume and its classes.
    private(set) var classes: [Named] = []
    /// File keys, and what the cipher makes of them, by class letter.
    private(set) var files: [String: [Named]] = [:]

    private let keybag: Keybag
    private let secret: SecretKey
    private let root: SecretKey

    init(volume path: String, deviceKey: DeviceKey, passcode: String) throws {
        let folder = try FolderStore(path: path).root
        keybag = Keybag(record: try KeybagFiles(folder: folder).read().record)
        secret = try keybag.secret(passcode: Passcode(passcode), deviceKey: deviceKey)
        root = try keybag.root(deviceKey: deviceKey)
        classes = [
            ("class A key", Self.bytes(try keybag.derive(secret, "class complete"))),
            (
                "class B private key",
                Self.bytes(try keybag.derive(secret, "class completeUnlessOpen"))
            ),
            (
                "class C key",
                Self.bytes(try keybag.derive(secret, "class completeUntilFirstUserAuthentication"))
            ),
            ("class D key", Self.bytes(try keybag.derive(root, "class none"))),
            ("keybag secret", Self.bytes(secret)),
        ]
    }

    /// Adds the passcode and what is derived from it.
    func addPasscodeKeys(_ passcode: String, _ deviceKey: DeviceKey) throws {
        let slot = keybag.record.slots.first { $0.kind == .passcode }!
        let stretched = try PasscodeDerivation.argon2id(
            passcode: Array(passcode.utf8).span, salt: slot.salt.span,
            cost: PasscodeCost(operations: slot.passCount, memoryByteCount: slot.memoryByteCount))
        let slotKey = try HKDF.deriveKey(
            from: stretched, saltKey: deviceKey.key,
            info: Self.label("slot passcode") + keybag.record.volumeIdentifier + slot.identifier)
        classes.append(("passcode key", Self.bytes(stretched)))
        classes.append(("slot key", Self.bytes(slotKey)))
        classes.append(("passcode", Array(passcode.utf8)))
    }

    /// Reads the headers and heads of all files in the top folder.
    func readFiles(volume path: String) throws {
        let folder = try FolderStore(path: path).root
        for entry in try folder.list()
        where entry.kind == .regular && EntryName.isEntry(entry.name) {
            let host = try folder.readAll(entry.name, byteCountMaximum: 8192)
            let header = try FileHeader(bytes: Array(host[..<4096]))
            let key = try fileKey(header)
            let letter = String(header.protectionClass.letter)
            files[letter, default: []].append(("\(letter) file key", Self.bytes(key)))
            let derived = Self.xaesKeys(
                Self.bytes(key), nonces: [Array(host[512..<536]), Array(host[4096..<4120])])
            files[letter]! += derived.map { ("\(letter) cipher key", $0) }
        }
    }

    private func fileKey(_ header: FileHeader) throws -> SecretKey {
        let context = Self.label("file key") + header.boundBytes
        let wrapping: SecretKey
        switch header.protectionClass {
        case .complete: wrapping = try keybag.derive(secret, "class complete")
        case .completeUntilFirstUserAuthentication:
            wrapping = try keybag.derive(secret, "class completeUntilFirstUserAuthentication")
        case .none: wrapping = try keybag.derive(root, "class none")
        case .completeUnlessOpen:
            let shared = try KeyAgreement.sharedSecret(
                privateKey: try keybag.derive(secret, "class completeUnlessOpen"),
                publicKey: header.ephemeralPublicKey.span)
            wrapping = try HKDF.deriveKey(
                from: shared, saltKey: try keybag.derive(root, "class completeUnlessOpen salt"),
                info: Self.label("class completeUnlessOpen file") + header.volumeIdentifier
                    + header.fileIdentifier + header.ephemeralPublicKey + keybag.record.publicKey)
        }
        return try KeyWrap.unwrap(
            header.wrappedKey, under: wrapping, algorithm: keybag.algorithm, authenticating: context
        )
    }

    private static func label(_ purpose: String) -> [UInt8] {
        Array("swift-data-protection/1 \(purpose)".utf8)
    }

    private static func bytes(_ key: borrowing SecretKey) -> [UInt8] {
        let span = key.bytes
        return span.indices.map { span[$0] }
    }
}

/// XAES-256-GCM's derived keys, from its specification (c2sp.org/XAES-256-GCM).
extension ProofSecrets {
    /// K1, and the message key for each nonce.
    static func xaesKeys(_ key: [UInt8], nonces: [[UInt8]]) -> [[UInt8]] {
        var subkey = encrypt([UInt8](repeating: 0, count: 16), key)
        let first = subkey[0]
        for index in 0..<15 { subkey[index] = subkey[index] << 1 | subkey[index + 1] >> 7 }
        subkey[15] = subkey[15] << 1 ^ (first >> 7) * 0x87
        return [subkey]
            + nonces.map { nonce in
                (UInt8(1)...2).flatMap { counter -> [UInt8] in
                    let block = [0, counter, 0x58, 0] + nonce[..<12]
                    return encrypt(zip(block, subkey).map { $0 ^ $1 }, key)
                }
            }
    }

    private static func encrypt(_ block: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: 32)
        var written: Int32 = 0
        EVP_EncryptInit_ex(context, EVP_aes_256_ecb(), nil, key, nil)
        EVP_CIPHER_CTX_set_padding(context, 0)
        EVP_EncryptUpdate(context, &output, &written, block, 16)
        return Array(output[..<16])
    }
}
