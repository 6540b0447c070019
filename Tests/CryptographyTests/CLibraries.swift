private import CCrypto
private import CSodium

/// What the tests need from the C libraries and the product does not offer.
enum CLibraries {
    /// SHAKE128 (FIPS 202) of `bytes`, as much of it as asked for.
    static func shake128(_ bytes: [UInt8], outputByteCount: Int) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: outputByteCount)
        precondition(EVP_DigestInit_ex(context, EVP_shake128(), nil) == 1)
        precondition(EVP_DigestUpdate(context, bytes, bytes.count) == 1)
        precondition(EVP_DigestFinalXOF(context, &output, outputByteCount) == 1)
        return output
    }

    /// ChaCha20-Poly1305 (RFC 8439), which XChaCha20-Poly1305 is made of; nil when the tag is
    /// wrong.
    static func openChaCha20Poly1305(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) -> [UInt8]? {
        var plaintext = [UInt8](repeating: 0, count: max(1, sealed.count))
        var count: UInt64 = 0
        let status = crypto_aead_chacha20poly1305_ietf_decrypt(
            &plaintext, &count, nil, sealed, UInt64(sealed.count), data, UInt64(data.count), nonce,
            key)
        return status == 0 ? Array(plaintext.prefix(Int(count))) : nil
    }

    static func sealChaCha20Poly1305(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plaintext.count + 16)
        var count: UInt64 = 0
        _ = crypto_aead_chacha20poly1305_ietf_encrypt(
            &sealed, &count, plaintext, UInt64(plaintext.count), data, UInt64(data.count), nil,
            nonce,
            key)
        return sealed
    }
}
