private import CSodium

/// HMAC with SHA-256 (RFC 2104) under 32-byte keys, read where they lie (`crypto_auth_hmacsha256`).
package enum HMACSHA256 {
    /// The length of a tag, in bytes.
    package static var byteCount: Int { 32 }

    /// The shortest truncated tag that ``verify(_:of:key:)`` takes, in bytes.
    package static var minimumTagByteCount: Int { 16 }

    /// Makes a tag.
    ///
    /// - Parameters:
    ///   - bytes: what the tag covers; may be empty.
    ///   - key: the key.
    /// - Returns: the 32-byte tag; it may be truncated to 16 bytes or more.
    /// - Throws: `library`, which libsodium has no reason to give.
    package static func authenticate(
        _ bytes: Span<UInt8>, key: borrowing SecretKey
    ) throws(CryptographyError) -> [UInt8] {
        Libsodium.initialize()
        var tag = [UInt8](repeating: 0, count: byteCount)
        let keyBytes = key.bytes
        let status = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe keyBytes.withUnsafeBufferPointer { key in
                unsafe crypto_auth_hmacsha256(
                    &tag, bytes.baseAddress, UInt64(bytes.count), key.baseAddress!)
            }
        }
        guard status == 0 else { throw .library(code: 0) }
        return tag
    }

    /// Verifies a tag, in constant time.
    ///
    /// - Parameters:
    ///   - tag: the tag to verify, 16 to 32 bytes.
    ///   - bytes: what it should cover.
    ///   - key: the key it should have been made with.
    /// - Returns: whether it is the beginning of the right tag.
    /// - Throws: `invalidLength` for a tag shorter than 16 or longer than 32 bytes.
    package static func verify(
        _ tag: Span<UInt8>, of bytes: Span<UInt8>, key: borrowing SecretKey
    ) throws(CryptographyError) -> Bool {
        guard (minimumTagByteCount...byteCount).contains(tag.count) else { throw .invalidLength }
        var expected = try authenticate(bytes, key: key)
        defer { Wipe.zero(&expected) }
        return unsafe tag.withUnsafeBufferPointer { tag in
            unsafe sodium_memcmp(tag.baseAddress!, expected, tag.count) == 0
        }
    }
}
