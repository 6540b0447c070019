private import CSodium

/// Random bytes from the kernel (`getrandom(2)`, through `randombytes_buf`).
package enum SecureRandom {
    /// From so many bytes on, libsodium's ChaCha20 stretches a seed from the kernel: a run of
    /// nonces then costs a tenth of what the kernel takes, and each run has a fresh seed.
    private static let stretchedByteCount = 256

    /// Overwrites every byte with a random one.
    ///
    /// - Parameter bytes: the bytes to overwrite; may be empty.
    package static func fill(_ bytes: inout MutableSpan<UInt8>) {
        Libsodium.initialize()
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            guard buffer.count >= stretchedByteCount else {
                return unsafe randombytes_buf(start, buffer.count)
            }
            unsafe withUnsafeTemporaryAllocation(
                of: UInt8.self, capacity: randombytes_seedbytes()
            ) { seed in
                guard let seedStart = seed.baseAddress else { return }
                unsafe randombytes_buf(seedStart, seed.count)
                unsafe randombytes_buf_deterministic(start, buffer.count, seedStart)
                unsafe sodium_memzero(seedStart, seed.count)
            }
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
