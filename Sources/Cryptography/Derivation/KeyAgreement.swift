private import CSodium

/// X25519 (RFC 7748): two parties, each with a private key and the other's public key, agree on a
/// secret.
package enum KeyAgreement {
    /// The length of a public key, in bytes.
    package static var publicKeyByteCount: Int { 32 }

    /// Computes the public half of a private key.
    ///
    /// - Parameter privateKey: any 32 bytes; the algorithm clamps them itself.
    /// - Returns: the 32-byte public key.
    /// - Throws: `library`, which libsodium has no reason to give.
    package static func publicKey(
        of privateKey: borrowing SecretKey
    ) throws(CryptographyError) -> [UInt8] {
        Libsodium.initialize()
        var publicKey = [UInt8](repeating: 0, count: publicKeyByteCount)
        let status = unsafe privateKey.bytes.withUnsafeBufferPointer {
            unsafe crypto_scalarmult_base(&publicKey, $0.baseAddress!)
        }
        guard status == 0 else { throw .library(code: 0) }
        return publicKey
    }

    /// Computes the secret that both parties share.
    ///
    /// It is not uniformly random: derive keys from it with ``HKDF``, bound to both public keys.
    ///
    /// - Parameters:
    ///   - privateKey: one's own private key.
    ///   - publicKey: the other's public key, 32 bytes.
    /// - Returns: the shared secret.
    /// - Throws: `weakSharedSecret` when the public key forces a result of zero; `invalidLength`
    ///   for other than 32 bytes; `keyMemoryExhausted` or `outOfMemory`.
    package static func sharedSecret(
        privateKey: borrowing SecretKey, publicKey: Span<UInt8>
    ) throws(CryptographyError) -> SecretKey {
        guard publicKey.count == publicKeyByteCount else { throw .invalidLength }
        Libsodium.initialize()
        var secret = try SecretKey()
        var output = secret.mutableBytes
        let input = privateKey.bytes
        let status = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe input.withUnsafeBufferPointer { input in
                unsafe publicKey.withUnsafeBufferPointer { publicKey in
                    unsafe crypto_scalarmult(
                        output.baseAddress!, input.baseAddress!, publicKey.baseAddress!)
                }
            }
        }
        guard status == 0 else { throw .weakSharedSecret }
        return secret
    }
}
