private import CCrypto

/// XAES-256-GCM: AES-256-GCM under a key derived from the first half of a 24-byte nonce.
///
/// This is the composition that C2SP specifies (c2sp.org/XAES-256-GCM), with its names for the
/// values:
///
///     L  = AES-256(K, 0¹²⁸)                       once for each key
///     K1 = L << 1, and xor 0x87 where L's first bit was set
///     M1 = 00 01 58 00 ‖ N[0..<12]                for each message
///     M2 = 00 02 58 00 ‖ N[0..<12]
///     Kx = AES-256(K, M1 ⊕ K1) ‖ AES-256(K, M2 ⊕ K1)
///     AES-256-GCM(Kx, N[12..<24])
final class XAES256GCM {
    private let blocks: CipherContext
    private let inner: AES256GCM
    /// K1 in the first 16 bytes.
    private var subkey: SecretKey?
    /// Kx of the last message; there is one whenever there is a subkey.
    private var messageKey: SecretKey?

    init() throws(CryptographyError) {
        blocks = try CipherContext()
        inner = try AES256GCM()
    }

    func setKey(_ key: borrowing SecretKey) throws(CryptographyError) {
        wipe()
        var subkey = try SecretKey()
        let messageKey = try SecretKey()
        do {
            try scheduleBlocks(key)
            try Self.encryptBlocks(of: &subkey, count: 1, with: blocks)
        } catch {
            wipe()
            throw error
        }
        Self.doubleFirstBlock(of: &subkey)
        self.subkey = consume subkey
        self.messageKey = consume messageKey
    }

    func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>,
        into ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        try withMessageKey(for: nonce) { key throws(CryptographyError) in
            try inner.seal(
                plaintext, key: key.bytes,
                nonce: nonce.extracting(last: AES256GCM.nonceByteCount),
                authenticating: data, into: &ciphertext, tag: &tag)
        }
    }

    func open(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        try withMessageKey(for: nonce) { key throws(CryptographyError) in
            try inner.open(
                ciphertext, tag: tag, key: key.bytes,
                nonce: nonce.extracting(last: AES256GCM.nonceByteCount),
                authenticating: data, into: &plaintext)
        }
    }

    func wipe() {
        subkey = nil
        messageKey = nil
        blocks.reset()
        inner.wipe()
    }

    private func scheduleBlocks(_ key: borrowing SecretKey) throws(CryptographyError) {
        let done = unsafe key.bytes.withUnsafeBufferPointer { key in
            unsafe EVP_CipherInit_ex2(
                blocks.pointer, Libcrypto.blockCipher, key.baseAddress, nil, 1, nil)
        }
        guard done == 1, unsafe EVP_CIPHER_CTX_set_padding(blocks.pointer, 0) == 1 else {
            throw Libcrypto.failure()
        }
    }

    /// Derives a message's key and lends it.
    ///
    /// The key is taken out meanwhile: each access to a property of a class is checked at run time,
    /// and several for each message were measured to cost a hundredth.
    private func withMessageKey(
        for nonce: Span<UInt8>,
        _ body: (borrowing SecretKey) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        guard var key = messageKey.take() else { throw .keyWiped }
        do throws(CryptographyError) {
            switch subkey {
            case .none: throw .keyWiped
            case .some(let subkey):
                Self.writeBlocks(for: nonce, subkey: subkey.bytes, into: &key)
            }
            try Self.encryptBlocks(of: &key, count: 2, with: blocks)
            try body(key)
        } catch {
            messageKey = consume key
            throw error
        }
        messageKey = consume key
    }
}
