import Cryptography
import DataProtection
import Testing

/// A vector of the layers `slot`, `keybag` or `keybag-copies`.
struct KeybagVector {
    let vector: Vector

    func run() throws -> VectorResult {
        switch vector.layer {
        case "slot": return try slot()
        case "keybag": return try open(KeybagRecord(bytes: vector.bytes))
        case "keybag-copies": return try copies()
        default: return .outcome("an unknown layer")
        }
    }

    private func recoveryKey() throws -> RecoveryKey? {
        try vector.hex("recovery-key").map { try RecoveryKey(RecoveryKeyText.encode($0)) }
    }

    private func passcode() throws -> Passcode? {
        try vector.hex("passcode").map { try Passcode(utf8: $0) }
    }

    private func device(_ identifier: [UInt8]) throws -> DeviceKey {
        DeviceKey(
            identifier: identifier, key: try vector.key("device-key"),
            attempts: MemoryAttemptStore())
    }

    private func slot() throws -> VectorResult {
        guard let slot = try KeybagSlot.read(vector.bytes) else { return .outcome("empty") }
        let identifier = [UInt8](repeating: 0, count: 16)
        var record = KeybagRecord(
            volumeIdentifier: try vector.bytes("volume-id"),
            cipher: UInt8(try vector.number("cipher")),
            ruleSet: .safer, defaultClass: .none, hasPrivateNames: false, delaysPasscodes: false,
            deviceIdentifier: identifier, publicKey: [UInt8](repeating: 0, count: 32))
        record.add(slot)
        let keybag = Keybag(record: record)
        let device = try device(identifier)
        do {
            if let recoveryKey = try recoveryKey() {
                return secret(try keybag.secret(recoveryKey: recoveryKey))
            }
            if let passcode = try passcode() {
                return secret(try keybag.secret(passcode: passcode, deviceKey: device))
            }
            let found = try keybag.secretWithoutPasscode(deviceKey: device)
            switch consume found {
            case .some(let found): return secret(found)
            case .none: return .outcome("wrong-passcode")
            }
        } catch let error as ProtectionError
            where error.code == .damaged && slot.kind == .deviceKeyAlone
        {
            // The engine says "damaged" here: nobody typed a passcode that could be wrong.
            return .outcome("wrong-passcode")
        }
    }

    private func secret(_ secret: consuming SecretKey) -> VectorResult {
        .yields(["keybag-secret": hexadecimal(secret)])
    }

    private func hexadecimal(_ key: borrowing SecretKey) -> String {
        var bytes: [UInt8] = []
        for index in 0..<SecretKey.byteCount { bytes.append(key.bytes[index]) }
        return bytes.hexadecimal
    }

    private func open(_ record: KeybagRecord) throws -> VectorResult {
        let keybag = Keybag(record: record)
        var found = [
            "volume-id": record.volumeIdentifier.hexadecimal, "generation": "\(record.generation)",
            "cipher": "\(record.cipher)", "rule-set": "\(record.ruleSet.rawValue)",
            "default-class": "\(record.defaultClass.rawValue)",
            "private-names": "\(record.hasPrivateNames)",
            "passcode-delays": "\(record.delaysPasscodes)",
            "device-id": record.deviceIdentifier.hexadecimal,
            "class-b-public": record.publicKey.hexadecimal,
        ]
        if let recoveryKey = try recoveryKey() {
            let secret = try keybag.secret(recoveryKey: recoveryKey)
            let root = try keybag.root(secret: secret)
            found["volume-root"] = hexadecimal(root)
            found["keybag-secret"] = hexadecimal(secret)
            try Keyring(keybag: keybag, root: root).unlock(keybag: keybag, secret: secret)
            return .yields(found)
        }
        guard let identifier = vector.hex("device-id") else { return .outcome("other-device") }
        let device = try device(identifier)
        let root = try keybag.root(deviceKey: device)
        found["volume-root"] = hexadecimal(root)
        let keyring = try Keyring(keybag: keybag, root: root)
        let secret: SecretKey?
        if let passcode = try passcode() {
            secret = try keybag.secret(passcode: passcode, deviceKey: device)
        } else {
            secret = try keybag.secretWithoutPasscode(deviceKey: device)
        }
        switch consume secret {
        case .some(let secret):
            found["keybag-secret"] = hexadecimal(secret)
            try keyring.unlock(keybag: keybag, secret: secret)
        case .none: break
        }
        return .yields(found)
    }

    private func copies() throws -> VectorResult {
        let store = MemoryStore()
        for (index, name) in ReservedName.keybags.enumerated() {
            let copy = vector.bytes.field(index * 4096..<(index + 1) * 4096)
            try store.root.createFile(name, mode: 0o600).write(copy)
        }
        let record = try KeybagFiles(folder: store.root).read().record
        guard case .yields(var found) = try open(record) else { return .outcome("damaged") }
        let isFirst = (try? KeybagRecord(bytes: vector.bytes.field(0..<4096))) == record
        found["used"] = isFirst ? "1" : "2"
        return .yields(found)
    }
}
