/// What can go wrong in a cryptographic operation.
package enum CryptographyError: Error, Equatable, Sendable {
    /// The ciphertext, its tag, its nonce or the authenticated data is not what was sealed.
    ///
    /// It never says which: the difference would be an oracle.
    case authenticationFailed

    /// The kernel refused to lock more memory for keys (`RLIMIT_MEMLOCK`, see `setrlimit(2)`).
    case keyMemoryExhausted

    /// The kernel or the library had no memory left, for example for Argon2id.
    case outOfMemory

    /// An argument has a length, or a cost, that the algorithm does not define.
    case invalidLength

    /// The key agreement gave all zeros: the peer's public key has a small order (RFC 7748, 6.1).
    case weakSharedSecret

    /// The cipher has no key: none was set, or it was wiped.
    case keyWiped

    /// A C library failed for a reason of its own.
    ///
    /// - Parameter code: libcrypto's packed error (`ERR_get_error(3)`), or 0 where it left none.
    case library(code: UInt64)
}
