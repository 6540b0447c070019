package import Cryptography

/// Small values under the attributes key: targets of symbolic links and values of `user.*`
/// attributes (docs/format.md 7.4).
package enum SealedValue {
    /// How much longer a sealed value is, in bytes: nonce and tag.
    package static let overheadByteCount =
        AEADAlgorithm.nonceByteCount + AEADAlgorithm.tagByteCount

    /// Seals a value with a fresh nonce.
    ///
    /// - Parameter context: what it is bound to; opening needs the same.
    /// - Returns: 40 bytes more than `plaintext` has.
    package static func seal(
        _ plaintext: [UInt8], context: [UInt8], key: borrowing SecretKey, algorithm: AEADAlgorithm
    ) throws(CryptographyError) -> [UInt8] {
        let cipher = try AEADContext(algorithm)
        try cipher.setKey(key)
        let nonce = SecureRandom.bytes(AEADAlgorithm.nonceByteCount)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: AEADAlgorithm.tagByteCount)
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        try cipher.seal(
            plaintext.span, nonce: nonce.span, authenticating: context.span,
            into: &ciphertextSpan, tag: &tagSpan)
        return nonce + ciphertext + tag
    }

    /// Opens a sealed value.
    ///
    /// - Throws: `authenticationFailed` when it is not what was sealed, or too short to be.
    package static func open(
        _ sealed: [UInt8], context: [UInt8], key: borrowing SecretKey, algorithm: AEADAlgorithm
    ) throws(CryptographyError) -> [UInt8] {
        guard sealed.count >= overheadByteCount else { throw .authenticationFailed }
        let cipher = try AEADContext(algorithm)
        try cipher.setKey(key)
        let body = AEADAlgorithm.nonceByteCount..<(sealed.count - AEADAlgorithm.tagByteCount)
        var plaintext = [UInt8](repeating: 0, count: body.count)
        var span = plaintext.mutableSpan
        try cipher.open(
            sealed.span.extracting(body),
            tag: sealed.span.extracting(last: AEADAlgorithm.tagByteCount),
            nonce: sealed.span.extracting(first: AEADAlgorithm.nonceByteCount),
            authenticating: context.span, into: &span)
        return plaintext
    }

    /// What the target of a symbolic link is bound to.
    package static func linkContext(volumeIdentifier: [UInt8]) -> [UInt8] {
        FormatLabel.bytes("symbolic link") + volumeIdentifier
    }

    /// What the value of an attribute is bound to.
    ///
    /// - Parameter name: its name, without `user.`.
    package static func attributeContext(volumeIdentifier: [UInt8], name: [UInt8]) -> [UInt8] {
        FormatLabel.bytes("attribute") + volumeIdentifier + name
    }

    /// What the name of an attribute is bound to.
    package static func attributeNameContext(volumeIdentifier: [UInt8]) -> [UInt8] {
        FormatLabel.bytes("attribute name") + volumeIdentifier
    }
}
