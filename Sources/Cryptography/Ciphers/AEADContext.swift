/// A reusable cipher for many messages under one key.
///
/// After ``setKey(_:)`` it holds the key, or a schedule made from it, and counts as a key: whoever
/// locks must also ``wipe()``. Sealing and opening allocate nothing.
///
/// libcrypto keeps its key schedules in ordinary memory: cleansed by ``wipe()``, but not locked.
///
/// One thread at a time may use it. It is `Sendable` so that an owner can hand it from thread to
/// thread; that owner serialises every call, with a mutex or by lending the context out.
package final class AEADContext: @unchecked Sendable {
    private enum Cipher {
        case xaes256GCM(XAES256GCM)
        case xChaCha20Poly1305(XChaCha20Poly1305)
    }

    /// The cipher this context was made for.
    package let algorithm: AEADAlgorithm

    private let cipher: Cipher

    /// Makes a context without a key.
    ///
    /// - Parameter algorithm: the cipher.
    /// - Throws: `outOfMemory`.
    package init(_ algorithm: AEADAlgorithm) throws(CryptographyError) {
        self.algorithm = algorithm
        switch algorithm {
        case .xaes256GCM: cipher = .xaes256GCM(try XAES256GCM())
        case .xChaCha20Poly1305: cipher = .xChaCha20Poly1305(XChaCha20Poly1305())
        }
    }

    /// Replaces the key.
    ///
    /// - Parameter key: the key of the messages that follow; the context does not need it
    ///   afterwards.
    /// - Throws: `keyMemoryExhausted`, `outOfMemory` or `library`; then there is no key.
    package func setKey(_ key: borrowing SecretKey) throws(CryptographyError) {
        switch cipher {
        case .xaes256GCM(let cipher): try cipher.setKey(key)
        case .xChaCha20Poly1305(let cipher): try cipher.setKey(key)
        }
    }

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - plaintext: the message.
    ///   - nonce: 24 bytes, never used before with this key; draw them at random.
    ///   - data: what the tag covers besides the message; may be empty.
    ///   - ciphertext: receives as many bytes as `plaintext` has.
    ///   - tag: receives 16 bytes.
    /// - Throws: `invalidLength` for wrong counts, `keyWiped` without a key, `library` when
    ///   libcrypto fails.
    package func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>,
        into ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        guard plaintext.count == ciphertext.count,
            Self.areValid(message: plaintext, data: data, nonce: nonce, tagByteCount: tag.count)
        else { throw .invalidLength }
        switch cipher {
        case .xaes256GCM(let cipher):
            try cipher.seal(
                plaintext, nonce: nonce, authenticating: data, into: &ciphertext, tag: &tag)
        case .xChaCha20Poly1305(let cipher):
            try cipher.seal(
                plaintext, nonce: nonce, authenticating: data, into: &ciphertext, tag: &tag)
        }
    }

    /// Decrypts a message and verifies it.
    ///
    /// - Parameters:
    ///   - ciphertext: the sealed message.
    ///   - tag: its tag, 16 bytes.
    ///   - nonce: the nonce it was sealed with, 24 bytes.
    ///   - data: what was authenticated with it.
    ///   - plaintext: receives as many bytes as `ciphertext` has.
    /// - Throws: `authenticationFailed` when any of them is not what was sealed, and then
    ///   `plaintext` is all zeros; `invalidLength` for wrong counts; `keyWiped` without a key;
    ///   `library` when libcrypto fails.
    package func open(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        guard plaintext.count == ciphertext.count,
            Self.areValid(message: ciphertext, data: data, nonce: nonce, tagByteCount: tag.count)
        else { throw .invalidLength }
        switch cipher {
        case .xaes256GCM(let cipher):
            try cipher.open(
                ciphertext, tag: tag, nonce: nonce, authenticating: data, into: &plaintext)
        case .xChaCha20Poly1305(let cipher):
            try cipher.open(
                ciphertext, tag: tag, nonce: nonce, authenticating: data, into: &plaintext)
        }
    }

    /// Forgets the key and everything made from it; the context can be used again after
    /// ``setKey(_:)``.
    package func wipe() {
        switch cipher {
        case .xaes256GCM(let cipher): cipher.wipe()
        case .xChaCha20Poly1305(let cipher): cipher.wipe()
        }
    }

    /// Both libraries' limits: libcrypto counts in `int`.
    private static func areValid(
        message: Span<UInt8>, data: Span<UInt8>, nonce: Span<UInt8>, tagByteCount: Int
    ) -> Bool {
        message.count <= Int(Int32.max) && data.count <= Int(Int32.max)
            && nonce.count == AEADAlgorithm.nonceByteCount
            && tagByteCount == AEADAlgorithm.tagByteCount
    }
}
