private import CCrypto

/// HKDF with SHA-256 (RFC 5869): keys for different purposes from one secret.
package enum HKDF {
    /// The most bytes that one derivation gives: 255 digests.
    package static var maximumOutputByteCount: Int { 255 * 32 }

    /// The most bytes of `info` that libcrypto 3.0 takes.
    package static var maximumInfoByteCount: Int { 1024 }

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: the input keying material.
    ///   - salt: not secret, or empty.
    ///   - info: what the key is for; up to 1024 bytes.
    /// - Returns: the 32-byte key.
    /// - Throws: `invalidLength` when `info` is too long; `keyMemoryExhausted`, `outOfMemory` or
    ///   `library`.
    package static func deriveKey(
        from secret: borrowing SecretKey, salt: Span<UInt8>, info: Span<UInt8>
    ) throws(CryptographyError) -> SecretKey {
        var key = try SecretKey()
        var bytes = key.mutableBytes
        try derive(from: secret.bytes, salt: salt, info: info, into: &bytes)
        return key
    }

    /// Derives a key, with salt and purpose in arrays; see the other form.
    ///
    /// - Parameters:
    ///   - secret: the input keying material.
    ///   - salt: not secret, or empty.
    ///   - info: what the key is for; up to 1024 bytes.
    /// - Returns: the 32-byte key.
    /// - Throws: as the other form.
    package static func deriveKey(
        from secret: borrowing SecretKey, salt: [UInt8], info: [UInt8]
    ) throws(CryptographyError) -> SecretKey {
        try deriveKey(from: secret, salt: salt.span, info: info.span)
    }

    /// Derives a key that needs two secrets, for example a passcode's and the device's.
    ///
    /// - Parameters:
    ///   - secret: the input keying material.
    ///   - saltKey: a secret that takes the salt's place.
    ///   - info: what the key is for; up to 1024 bytes.
    /// - Returns: the 32-byte key.
    /// - Throws: as the other form.
    package static func deriveKey(
        from secret: borrowing SecretKey, saltKey: borrowing SecretKey, info: [UInt8]
    ) throws(CryptographyError) -> SecretKey {
        try deriveKey(from: secret, salt: saltKey.bytes, info: info.span)
    }

    /// Derives bytes that are not a key, or more than one key's worth.
    ///
    /// - Parameters:
    ///   - secret: the input keying material, not empty.
    ///   - salt: not secret, or empty.
    ///   - info: what the bytes are for; up to 1024 bytes.
    ///   - outputByteCount: how many bytes, 1 to 8160.
    /// - Returns: that many bytes; wiping them is the caller's duty.
    /// - Throws: `invalidLength` for counts out of range; `outOfMemory` or `library`.
    package static func deriveBytes(
        from secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, outputByteCount: Int
    ) throws(CryptographyError) -> [UInt8] {
        guard (1...maximumOutputByteCount).contains(outputByteCount) else { throw .invalidLength }
        var output = [UInt8](repeating: 0, count: outputByteCount)
        var span = output.mutableSpan
        try derive(from: secret, salt: salt, info: info, into: &span)
        return output
    }

    private static func derive(
        from secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>,
        into output: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        guard !secret.isEmpty, info.count <= maximumInfoByteCount else { throw .invalidLength }
        guard let context = unsafe EVP_KDF_CTX_new(Libcrypto.keyDerivation) else {
            throw .outOfMemory
        }
        defer { unsafe EVP_KDF_CTX_free(context) }
        let done = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe secret.withUnsafeBufferPointer { secret in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe info.withUnsafeBufferPointer { info in
                        unsafe withParameters(secret: secret, salt: salt, info: info) {
                            unsafe EVP_KDF_derive(
                                context, output.baseAddress, output.count, $0)
                        }
                    }
                }
            }
        }
        guard done == 1 else { throw Libcrypto.failure() }
    }

    /// Lists the inputs as libcrypto wants them; see `EVP_KDF-HKDF(7)`.
    private static func withParameters(
        secret: UnsafeBufferPointer<UInt8>, salt: UnsafeBufferPointer<UInt8>,
        info: UnsafeBufferPointer<UInt8>, _ body: (UnsafePointer<OSSL_PARAM>) -> Int32
    ) -> Int32 {
        var digestName = Array("SHA2-256".utf8CString)
        return unsafe digestName.withUnsafeMutableBufferPointer { digest in
            var parameters = unsafe [
                OSSL_PARAM_construct_utf8_string(digestKey, digest.baseAddress, 0),
                octets(secretKey, secret),
            ]
            // An absent salt is HashLen zeros (RFC 5869, 2.2), which HMAC does not tell from an
            // empty one.
            if !salt.isEmpty { unsafe parameters.append(octets(saltKey, salt)) }
            if !info.isEmpty { unsafe parameters.append(octets(infoKey, info)) }
            unsafe parameters.append(OSSL_PARAM_construct_end())
            return unsafe body(parameters)
        }
    }

    private static func octets(
        _ name: UnsafePointer<CChar>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> OSSL_PARAM {
        // The structure serves reading and writing; a derivation only reads.
        let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        return unsafe OSSL_PARAM_construct_octet_string(name, start, bytes.count)
    }

    // libcrypto keeps pointers to the names, so they live as long as the process.
    nonisolated(unsafe) private static let digestKey = unsafe name(OSSL_KDF_PARAM_DIGEST)
    nonisolated(unsafe) private static let secretKey = unsafe name(OSSL_KDF_PARAM_KEY)
    nonisolated(unsafe) private static let saltKey = unsafe name(OSSL_KDF_PARAM_SALT)
    nonisolated(unsafe) private static let infoKey = unsafe name(OSSL_KDF_PARAM_INFO)

    private static func name(_ text: String) -> UnsafePointer<CChar> {
        let characters = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
        unsafe copy.initialize(from: characters, count: characters.count)
        return unsafe UnsafePointer(copy)
    }
}
