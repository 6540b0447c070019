private import CSodium

/// From a passcode to a key, slowly (Argon2id, RFC 9106, through `crypto_pwhash`).
package enum PasscodeDerivation {
    /// The length of a salt, in bytes.
    package static var saltByteCount: Int { 16 }

    /// Derives a key from a passcode.
    ///
    /// - Parameters:
    ///   - passcode: the passcode's bytes; may be empty.
    ///   - salt: 16 random bytes.
    ///   - cost: how much work and memory to spend.
    /// - Returns: the 32-byte key.
    /// - Throws: `invalidLength` for another salt or a cost that Argon2id does not define;
    ///   `outOfMemory` when the memory cannot be had; `keyMemoryExhausted`.
    package static func argon2id(
        passcode: Span<UInt8>, salt: Span<UInt8>, cost: PasscodeCost
    ) throws(CryptographyError) -> SecretKey {
        Libsodium.initialize()
        guard salt.count == saltByteCount, passcode.count <= Int(UInt32.max),
            cost.operations >= crypto_pwhash_opslimit_min(),
            cost.memoryByteCount >= crypto_pwhash_memlimit_min(),
            cost.memoryByteCount <= crypto_pwhash_memlimit_max()
        else { throw .invalidLength }
        var key = try SecretKey()
        var output = key.mutableBytes
        let status = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe passcode.withUnsafeBufferPointer { passcode in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe hash(passcode, salt: salt, cost: cost, into: output)
                }
            }
        }
        guard status == 0 else { throw .outOfMemory }
        return key
    }

    private static func hash(
        _ passcode: UnsafeBufferPointer<UInt8>, salt: UnsafeBufferPointer<UInt8>,
        cost: PasscodeCost, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int32 {
        // The C function reads a signed char pointer, and none may be null.
        var none: CChar = 0
        return unsafe withUnsafePointer(to: &none) { none in
            let start = unsafe UnsafeRawPointer(passcode.baseAddress)?
                .assumingMemoryBound(to: CChar.self)
            let status = unsafe crypto_pwhash(
                output.baseAddress!, UInt64(output.count), start ?? none,
                UInt64(passcode.count), salt.baseAddress!, UInt64(cost.operations),
                Int(cost.memoryByteCount), crypto_pwhash_ALG_ARGON2ID13)
            // The hash inside Argon2 leaves its result on the stack.
            sodium_stackzero(16 * 1024)
            return status
        }
    }
}
