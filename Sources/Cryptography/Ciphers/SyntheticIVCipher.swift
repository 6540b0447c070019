private import CCrypto
private import Synchronization

/// AES-256-SIV (RFC 5297): deterministic, so that a name can be looked up by its ciphertext.
///
/// Equal inputs give equal outputs, and nothing else is revealed. Any thread may use it at any
/// time: each call works in a context of its own, copied from one that holds the key.
///
/// Neither the message nor the authenticated data may be empty: libcrypto 3.0 cannot seal an empty
/// message, and before 3.0.10 it skips empty data (CVE-2023-2975).
package final class SyntheticIVCipher: Sendable {
    /// How many bytes longer a sealed message is: the synthetic initialisation vector in front.
    package static var overheadByteCount: Int { 16 }

    private let template: Mutex<CipherContext?>

    /// Makes a cipher from the two halves of its 64-byte key.
    ///
    /// - Parameters:
    ///   - authenticationKey: the first half, for S2V.
    ///   - encryptionKey: the second half, for the counter mode.
    /// - Throws: `outOfMemory` or `library`.
    package init(
        authenticationKey: borrowing SecretKey, encryptionKey: borrowing SecretKey
    ) throws(CryptographyError) {
        let context = try CipherContext()
        var joined = [64 of UInt8](repeating: 0)
        var span = joined.mutableSpan
        for index in 0..<SecretKey.byteCount {
            span[index] = authenticationKey.bytes[index]
            span[index + SecretKey.byteCount] = encryptionKey.bytes[index]
        }
        let done = unsafe span.withUnsafeMutableBufferPointer { key in
            unsafe EVP_CipherInit_ex2(
                context.pointer, Libcrypto.syntheticIVCipher, key.baseAddress, nil, 1, nil)
        }
        Wipe.zero(&span)
        guard done == 1 else { throw Libcrypto.failure() }
        template = Mutex(context)
    }

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - plaintext: the message, not empty.
    ///   - data: what it is bound to, not empty.
    /// - Returns: the synthetic initialisation vector (16 bytes), then as many bytes as the message
    ///   has.
    /// - Throws: `invalidLength` when either is empty, `keyWiped` after ``wipe()``, `outOfMemory`,
    ///   `library`.
    package func seal(
        _ plaintext: Span<UInt8>, authenticating data: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        guard Self.isValid(plaintext), Self.isValid(data) else { throw .invalidLength }
        let context = try workingContext(sealing: true)
        guard context.authenticate(data) else { throw Libcrypto.failure() }
        return try Self.seal(plaintext, in: context)
    }

    /// Decrypts a message and verifies it.
    ///
    /// - Parameters:
    ///   - sealed: what ``seal(_:authenticating:)`` returned.
    ///   - data: what it is bound to, not empty.
    /// - Returns: the message.
    /// - Throws: `authenticationFailed` when either is not what was sealed, `invalidLength` when
    ///   `data` is empty, `keyWiped` after ``wipe()``, `outOfMemory`, `library`.
    package func open(
        _ sealed: Span<UInt8>, authenticating data: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        guard Self.isValid(data) else { throw .invalidLength }
        let context = try workingContext(sealing: false)
        guard context.authenticate(data) else { throw Libcrypto.failure() }
        return try Self.open(sealed, in: context)
    }

    /// Encrypts with several components before the message, as RFC 5297, section 3 defines for
    /// nonces.
    ///
    /// - Parameters:
    ///   - plaintext: the message, not empty.
    ///   - components: what it is bound to, in order; an empty one needs libcrypto 3.0.10.
    /// - Returns: as the other form.
    /// - Throws: as the other form.
    package func seal(
        _ plaintext: Span<UInt8>, authenticatingEach components: [[UInt8]]
    ) throws(CryptographyError) -> [UInt8] {
        guard Self.isValid(plaintext) else { throw .invalidLength }
        let context = try workingContext(sealing: true)
        try Self.authenticate(components, in: context)
        return try Self.seal(plaintext, in: context)
    }

    /// Decrypts with several components before the message, as RFC 5297, section 3 defines for
    /// nonces.
    ///
    /// - Parameters:
    ///   - sealed: what ``seal(_:authenticatingEach:)`` returned.
    ///   - components: what it is bound to, in order; an empty one needs libcrypto 3.0.10.
    /// - Returns: the message.
    /// - Throws: as the other form.
    package func open(
        _ sealed: Span<UInt8>, authenticatingEach components: [[UInt8]]
    ) throws(CryptographyError) -> [UInt8] {
        let context = try workingContext(sealing: false)
        try Self.authenticate(components, in: context)
        return try Self.open(sealed, in: context)
    }

    /// Forgets the key; sealing and opening throw `keyWiped` from now on.
    ///
    /// Calls that already began finish with their own context, which is cleansed when they return.
    package func wipe() {
        template.withLock { $0 = nil }
    }

    /// Copies the keyed context: OpenSSL 3.0 lets a SIV context do one message for each key it is
    /// given.
    private func workingContext(sealing: Bool) throws(CryptographyError) -> CipherContext {
        let context = try CipherContext()
        try template.withLock { template throws(CryptographyError) in
            switch template {
            case .none: throw .keyWiped
            case .some(let template):
                guard unsafe EVP_CIPHER_CTX_copy(context.pointer, template.pointer) == 1 else {
                    throw Libcrypto.failure()
                }
            }
        }
        let done = unsafe EVP_CipherInit_ex2(
            context.pointer, nil, nil, nil, sealing ? 1 : 0, nil)
        guard done == 1 else { throw Libcrypto.failure() }
        return context
    }

    private static func isValid(_ bytes: Span<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.count <= Int(Int32.max)
    }

    private static func authenticate(
        _ components: [[UInt8]], in context: borrowing CipherContext
    ) throws(CryptographyError) {
        for component in components {
            guard component.count <= Int(Int32.max) else { throw .invalidLength }
            var written: Int32 = 0
            let done = unsafe EVP_CipherUpdate(
                context.pointer, nil, &written, component, Int32(component.count))
            guard done == 1 else { throw Libcrypto.failure() }
        }
    }

    private static func seal(
        _ plaintext: Span<UInt8>, in context: borrowing CipherContext
    ) throws(CryptographyError) -> [UInt8] {
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var ciphertextSpan = ciphertext.mutableSpan
        var vector = [UInt8](repeating: 0, count: overheadByteCount)
        var vectorSpan = vector.mutableSpan
        guard context.transform(plaintext, into: &ciphertextSpan),
            context.readTag(into: &vectorSpan)
        else { throw Libcrypto.failure() }
        return vector + ciphertext
    }

    private static func open(
        _ sealed: Span<UInt8>, in context: borrowing CipherContext
    ) throws(CryptographyError) -> [UInt8] {
        guard sealed.count > overheadByteCount else { throw .authenticationFailed }
        guard isValid(sealed) else { throw .invalidLength }
        guard context.expectTag(sealed.extracting(first: overheadByteCount)) else {
            throw Libcrypto.failure()
        }
        var plaintext = [UInt8](repeating: 0, count: sealed.count - overheadByteCount)
        var span = plaintext.mutableSpan
        guard context.transform(sealed.extracting(overheadByteCount...), into: &span) else {
            Wipe.zero(&span)
            _ = Libcrypto.failure()
            throw .authenticationFailed
        }
        return plaintext
    }
}
