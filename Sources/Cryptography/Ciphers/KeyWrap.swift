/// Keys sealed under keys: nonce (24 bytes), ciphertext (32), tag (16).
package enum KeyWrap {
    /// The length of a wrapped key, in bytes.
    package static var byteCount: Int { 72 }

    /// Seals a key under another, with a random nonce.
    ///
    /// - Parameters:
    ///   - key: the key to seal.
    ///   - wrappingKey: the key to seal it under.
    ///   - algorithm: the cipher.
    ///   - data: what the wrapping is bound to; unwrapping needs the same.
    /// - Returns: 72 bytes, different each time.
    /// - Throws: `keyMemoryExhausted`, `outOfMemory` or `library`.
    package static func wrap(
        _ key: borrowing SecretKey, under wrappingKey: borrowing SecretKey,
        algorithm: AEADAlgorithm, authenticating data: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let context = try AEADContext(algorithm)
        try context.setKey(wrappingKey)
        let nonce = SecureRandom.bytes(AEADAlgorithm.nonceByteCount)
        var ciphertext = [UInt8](repeating: 0, count: SecretKey.byteCount)
        var tag = [UInt8](repeating: 0, count: AEADAlgorithm.tagByteCount)
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        try context.seal(
            key.bytes, nonce: nonce.span, authenticating: data.span,
            into: &ciphertextSpan, tag: &tagSpan)
        return nonce + ciphertext + tag
    }

    /// Opens a wrapped key straight into key memory.
    ///
    /// - Parameters:
    ///   - wrapped: the 72 bytes that ``wrap(_:under:algorithm:authenticating:)`` returned.
    ///   - wrappingKey: the key it was sealed under.
    ///   - algorithm: the cipher it was sealed with.
    ///   - data: what it was bound to.
    /// - Returns: the key.
    /// - Throws: `authenticationFailed` when any of them differs; `invalidLength` for other than 72
    ///   bytes; `keyMemoryExhausted`, `outOfMemory` or `library`.
    package static func unwrap(
        _ wrapped: Span<UInt8>, under wrappingKey: borrowing SecretKey,
        algorithm: AEADAlgorithm, authenticating data: [UInt8]
    ) throws(CryptographyError) -> SecretKey {
        guard wrapped.count == byteCount else { throw .invalidLength }
        let context = try AEADContext(algorithm)
        try context.setKey(wrappingKey)
        let nonceEnd = AEADAlgorithm.nonceByteCount
        let ciphertextEnd = nonceEnd + SecretKey.byteCount
        var key = try SecretKey()
        var keyBytes = key.mutableBytes
        try context.open(
            wrapped.extracting(nonceEnd..<ciphertextEnd),
            tag: wrapped.extracting(last: AEADAlgorithm.tagByteCount),
            nonce: wrapped.extracting(first: nonceEnd), authenticating: data.span, into: &keyBytes)
        return key
    }

    /// Opens a wrapped key that lies in an array; see the other form.
    ///
    /// - Parameters:
    ///   - wrapped: the 72 bytes that ``wrap(_:under:algorithm:authenticating:)`` returned.
    ///   - wrappingKey: the key it was sealed under.
    ///   - algorithm: the cipher it was sealed with.
    ///   - data: what it was bound to.
    /// - Returns: the key.
    /// - Throws: as the other form.
    package static func unwrap(
        _ wrapped: [UInt8], under wrappingKey: borrowing SecretKey,
        algorithm: AEADAlgorithm, authenticating data: [UInt8]
    ) throws(CryptographyError) -> SecretKey {
        try unwrap(
            wrapped.span, under: wrappingKey, algorithm: algorithm, authenticating: data)
    }
}
