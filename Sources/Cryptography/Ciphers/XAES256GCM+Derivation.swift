private import CCrypto

/// The derivation of a message's key, on bytes that never leave key memory.
extension XAES256GCM {
    private static var blockByteCount: Int { 16 }

    /// The prefixes of M1 and M2: a 16-bit counter, the label `X`, a zero.
    private static var prefixes: [2 of [4 of UInt8]] {
        [[0, 1, 0x58, 0], [0, 2, 0x58, 0]]
    }

    /// Doubles the first block in GF(2¹²⁸), as CMAC does (NIST SP 800-38B, 6.1), without branching
    /// on it.
    static func doubleFirstBlock(of key: inout SecretKey) {
        var bytes = key.mutableBytes
        let reduction = (bytes[0] >> 7) &* 0x87
        for index in 0..<blockByteCount - 1 {
            bytes[index] = bytes[index] << 1 | bytes[index + 1] >> 7
        }
        bytes[blockByteCount - 1] = bytes[blockByteCount - 1] << 1 ^ reduction
    }

    /// Writes M1 ⊕ K1 and M2 ⊕ K1.
    ///
    /// - Parameters:
    ///   - nonce: 24 bytes, of which the first 12 are used.
    ///   - subkey: K1 in its first 16 bytes.
    ///   - blocks: receives the two blocks.
    static func writeBlocks(
        for nonce: Span<UInt8>, subkey: Span<UInt8>, into blocks: inout SecretKey
    ) {
        var bytes = blocks.mutableBytes
        let prefixes = prefixes
        for block in 0..<2 {
            let first = block * blockByteCount
            for index in 0..<4 {
                bytes[first + index] = prefixes[block][index] ^ subkey[index]
            }
            for index in 4..<blockByteCount {
                bytes[first + index] = nonce[index - 4] ^ subkey[index]
            }
        }
    }

    /// Encrypts the first blocks of `key` in place, each by itself.
    ///
    /// - Parameters:
    ///   - key: the blocks, 16 bytes each.
    ///   - count: 1 or 2 blocks.
    ///   - context: AES-256-ECB with its key, without padding.
    static func encryptBlocks(
        of key: inout SecretKey, count: Int, with context: borrowing CipherContext
    ) throws(CryptographyError) {
        var bytes = key.mutableBytes
        let byteCount = Int32(count * blockByteCount)
        let done = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var written: Int32 = 0
            let done = unsafe EVP_CipherUpdate(
                context.pointer, buffer.baseAddress, &written, buffer.baseAddress, byteCount)
            return done == 1 && written == byteCount
        }
        guard done else { throw Libcrypto.failure() }
    }
}
