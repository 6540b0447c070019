internal import CCrypto

/// What every caller of libcrypto needs: the algorithms, fetched once, and its errors as ours.
///
/// An implicit fetch in each operation costs about a third of the speed on 4 KiB pages.
enum Libcrypto {
    nonisolated(unsafe) static let blockCipher = unsafe cipher("AES-256-ECB")
    nonisolated(unsafe) static let counterCipher = unsafe cipher("AES-256-GCM")
    nonisolated(unsafe) static let syntheticIVCipher = unsafe cipher("AES-256-SIV")

    nonisolated(unsafe) static let digest: OpaquePointer = {
        guard let digest = unsafe EVP_MD_fetch(nil, "SHA2-256", nil) else {
            fatalError("libcrypto has no SHA-256: its default provider is not loaded")
        }
        return unsafe digest
    }()

    nonisolated(unsafe) static let keyDerivation: OpaquePointer = {
        guard let derivation = unsafe EVP_KDF_fetch(nil, "HKDF", nil) else {
            fatalError("libcrypto has no HKDF: its default provider is not loaded")
        }
        return unsafe derivation
    }()

    /// Takes libcrypto's oldest error of this thread and forgets the others.
    static func failure() -> CryptographyError {
        let code = ERR_get_error()
        ERR_clear_error()
        return .library(code: UInt64(code))
    }

    private static func cipher(_ name: String) -> OpaquePointer {
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            fatalError("libcrypto has no \(name): its default provider is not loaded")
        }
        return unsafe cipher
    }
}
