private import CCrypto

/// AES-256-GCM with a new key for each message: the inner cipher of ``XAES256GCM``.
///
/// Its 12-byte nonces are too short to be drawn at random for one key, so only a composition that
/// gives each message a key of its own may use it. Source: NIST SP 800-38D.
package final class AES256GCM {
    /// The length of a nonce, in bytes.
    package static var nonceByteCount: Int { 12 }

    /// The length of a tag, in bytes.
    package static var tagByteCount: Int { 16 }

    private let context: CipherContext
    private var isReady = false

    /// Makes a cipher without a key.
    ///
    /// - Throws: `outOfMemory`.
    package init() throws(CryptographyError) {
        context = try CipherContext()
    }

    /// Encrypts a message under a key that is used for nothing else.
    ///
    /// - Parameters:
    ///   - plaintext: the message.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    ///   - data: what the tag covers besides the message; may be empty.
    ///   - ciphertext: receives as many bytes as `plaintext` has.
    ///   - tag: receives 16 bytes.
    /// - Throws: `library` when libcrypto fails.
    package func seal(
        _ plaintext: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>, into ciphertext: inout MutableSpan<UInt8>,
        tag: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        guard ciphertext.count == plaintext.count, tag.count == Self.tagByteCount else {
            throw .invalidLength
        }
        try begin(key: key, nonce: nonce, sealing: true)
        guard context.authenticate(data), context.transform(plaintext, into: &ciphertext),
            finish(), context.readTag(into: &tag)
        else { throw Libcrypto.failure() }
    }

    /// Decrypts a message and verifies it.
    ///
    /// - Parameters:
    ///   - ciphertext: the sealed message.
    ///   - tag: its tag, 16 bytes.
    ///   - key: the key it was sealed with, 32 bytes.
    ///   - nonce: the nonce it was sealed with, 12 bytes.
    ///   - data: what was authenticated with it.
    ///   - plaintext: receives as many bytes as `ciphertext` has; all zeros when this throws.
    /// - Throws: `authenticationFailed` when any of them is not what was sealed.
    package func open(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        guard ciphertext.count == plaintext.count, tag.count == Self.tagByteCount else {
            throw .invalidLength
        }
        try begin(key: key, nonce: nonce, sealing: false)
        guard context.authenticate(data), context.transform(ciphertext, into: &plaintext),
            context.expectTag(tag)
        else {
            Wipe.zero(&plaintext)
            throw Libcrypto.failure()
        }
        guard finish() else {
            Wipe.zero(&plaintext)
            throw .authenticationFailed
        }
    }

    /// Forgets the last key; the cipher stays usable.
    package func wipe() {
        context.reset()
        isReady = false
    }

    private func begin(
        key: Span<UInt8>, nonce: Span<UInt8>, sealing: Bool
    ) throws(CryptographyError) {
        guard key.count == SecretKey.byteCount, nonce.count == Self.nonceByteCount else {
            throw .invalidLength
        }
        // Naming the cipher again would build its context anew for every message.
        let cipher = unsafe isReady ? nil : Libcrypto.counterCipher
        let done = unsafe key.withUnsafeBufferPointer { key in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe EVP_CipherInit_ex2(
                    context.pointer, cipher, key.baseAddress, nonce.baseAddress,
                    sealing ? 1 : 0, nil)
            }
        }
        guard done == 1 else { throw Libcrypto.failure() }
        isReady = true
    }

    private func finish() -> Bool {
        var unused: UInt8 = 0
        var written: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context.pointer, &unused, &written) == 1
    }
}
