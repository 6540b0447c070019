private import CCrypto

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The length of a digest, in bytes.
    package static var byteCount: Int { 32 }

    /// Hashes bytes.
    ///
    /// - Parameter bytes: what to hash; may be empty.
    /// - Returns: the 32-byte digest.
    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        let done = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe EVP_Digest(
                bytes.baseAddress, bytes.count, &digest, nil, Libcrypto.digest, nil)
        }
        guard done == 1 else { fatalError("SHA-256 fails only when memory runs out") }
        return digest
    }
}
