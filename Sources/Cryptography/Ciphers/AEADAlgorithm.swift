private import CSodium

/// A cipher that authenticates what it encrypts, with nonces long enough to be drawn at random.
///
/// The raw values are part of the format on disk.
package enum AEADAlgorithm: UInt8, Sendable, CaseIterable {
    /// AES-256-GCM with a derived key for each message (c2sp.org/XAES-256-GCM).
    case xaes256GCM = 1

    /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).
    case xChaCha20Poly1305 = 2

    /// The length of a nonce, in bytes; 2⁸⁰ random ones may be used with one key.
    package static var nonceByteCount: Int { 24 }

    /// The length of a tag, in bytes.
    package static var tagByteCount: Int { 16 }

    /// What is fastest on this processor: AES where it has instructions for it, ChaCha elsewhere.
    ///
    /// AES without instructions is not only slower: its tables leak through the cache.
    package static let preferred: AEADAlgorithm = {
        Libsodium.initialize()
        return crypto_aead_aes256gcm_is_available() == 1 ? .xaes256GCM : .xChaCha20Poly1305
    }()
}
