import Cryptography

/// A message as the AEAD tests pass it around.
struct SealedMessage: Equatable {
    var ciphertext: [UInt8]
    var tag: [UInt8]
}

/// What opening gave: the error, if any, and what was left in the caller's buffer.
struct Opened: Equatable {
    var plaintext: [UInt8]
    var error: CryptographyError?
}

extension AEADContext {
    func seal(
        _ plaintext: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws -> SealedMessage {
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: AEADAlgorithm.tagByteCount)
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        try seal(
            plaintext.span, nonce: nonce.span, authenticating: data.span, into: &ciphertextSpan,
            tag: &tagSpan)
        return SealedMessage(ciphertext: ciphertext, tag: tag)
    }

    /// Opens into a buffer full of ones, so that zeroing is seen.
    func open(
        _ message: SealedMessage, nonce: [UInt8], authenticating data: [UInt8]
    ) -> Opened {
        var plaintext = [UInt8](repeating: 0xFF, count: message.ciphertext.count)
        var span = plaintext.mutableSpan
        do {
            try open(
                message.ciphertext.span, tag: message.tag.span, nonce: nonce.span,
                authenticating: data.span, into: &span)
            return Opened(plaintext: plaintext, error: nil)
        } catch {
            return Opened(plaintext: plaintext, error: error)
        }
    }
}

extension SecretKey {
    /// The bytes, outside key memory.
    var array: [UInt8] { bytes.indices.map { bytes[$0] } }

    init(_ array: [UInt8]) throws { try self.init(copying: array.span) }
}
