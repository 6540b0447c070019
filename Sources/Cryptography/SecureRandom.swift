private import CSodium

/// Random bytes from the kernel (`getrandom(2)`, through `randombytes_buf`).
package enum SecureRandom {
    /// Overwrites every byte with a random one.
    ///
    /// - Parameter bytes: the bytes to overwrite; may be empty.
    package static func fill(_ bytes: inout MutableSpan<UInt8>) {
        Libsodium.initialize()
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe randombytes_buf(start, buffer.count)
        }
    }

    /// Returns fresh random bytes.
    ///
    /// - Parameter count: how many bytes, 0 or more.
    /// - Returns: `count` random bytes; for keys use ``SecretKey/random()``.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        fill(&span)
        return bytes
    }
}
