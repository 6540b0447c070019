package import Cryptography

/// The machine's own key: a file outside every volume, without which a passcode is worth nothing.
///
/// A copied volume cannot be guessed at elsewhere. One device key serves any number of volumes.
public final class DeviceKey: Sendable {
    /// Names the device; not secret. 16 bytes.
    package let identifier: [UInt8]
    /// The key itself.
    package let key: SecretKey
    /// Where wrong passcodes are counted.
    package let attempts: any PasscodeAttemptStore

    /// Puts a device key together.
    package init(
        identifier: [UInt8], key: consuming SecretKey, attempts: any PasscodeAttemptStore
    ) {
        self.identifier = identifier
        self.key = key
        self.attempts = attempts
    }

    /// Draws a device key that lives in this process alone; for volumes in memory.
    ///
    /// - Throws: `keyMemory`.
    public static func inMemory() throws(ProtectionError) -> DeviceKey {
        let key = try translating { () throws(CryptographyError) in try SecretKey.random() }
        return DeviceKey(
            identifier: SecureRandom.bytes(identifierByteCount), key: key,
            attempts: MemoryAttemptStore())
    }
}
