internal import CCrypto

/// An `EVP_CIPHER_CTX` that frees itself, and with that cleanses the key schedule in it.
@safe
struct CipherContext: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    /// Allocates a context without a cipher.
    init() throws(CryptographyError) {
        guard let pointer = unsafe EVP_CIPHER_CTX_new() else { throw .outOfMemory }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

    /// Forgets the cipher, its key schedule and its state; the context can be initialised again.
    func reset() {
        unsafe EVP_CIPHER_CTX_reset(pointer)
    }

    /// Passes data that is authenticated but not encrypted.
    ///
    /// - Parameter data: any number of bytes up to `Int32.max`; nothing happens for none.
    /// - Returns: whether libcrypto took it.
    func authenticate(_ data: Span<UInt8>) -> Bool {
        guard !data.isEmpty else { return true }
        var written: Int32 = 0
        return unsafe data.withUnsafeBufferPointer { data in
            unsafe EVP_CipherUpdate(
                pointer, nil, &written, data.baseAddress, Int32(data.count)) == 1
        }
    }

    /// Encrypts or decrypts, as the context was initialised.
    ///
    /// - Parameters:
    ///   - input: up to `Int32.max` bytes.
    ///   - output: at least as many bytes.
    /// - Returns: whether libcrypto did it, and wrote as many bytes as it read.
    func transform(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Bool {
        guard !input.isEmpty else { return true }
        return unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe input.withUnsafeBufferPointer { input in
                var written: Int32 = 0
                let done = unsafe EVP_CipherUpdate(
                    pointer, output.baseAddress, &written, input.baseAddress, Int32(input.count))
                return done == 1 && Int(written) == input.count
            }
        }
    }

    /// Reads the tag that sealing produced.
    func readTag(into tag: inout MutableSpan<UInt8>) -> Bool {
        unsafe tag.withUnsafeMutableBufferPointer { tag in
            unsafe EVP_CIPHER_CTX_ctrl(
                pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
        }
    }

    /// Sets the tag that opening must find.
    func expectTag(_ tag: Span<UInt8>) -> Bool {
        unsafe tag.withUnsafeBufferPointer { tag in
            // The C function takes a mutable pointer for every command; this one only reads.
            let start = unsafe UnsafeMutablePointer(mutating: tag.baseAddress)
            return unsafe EVP_CIPHER_CTX_ctrl(
                pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), start) == 1
        }
    }
}
