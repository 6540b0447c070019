private import CSodium

/// XChaCha20-Poly1305 through libsodium, from a copy of the key in key memory.
///
/// An empty message has no address, and libsodium takes none but a valid one: it gets the tag's,
/// and touches nothing. Source: draft-irtf-cfrg-xchacha-03.
final class XChaCha20Poly1305 {
    private var key: SecretKey?

    init() {
        Libsodium.initialize()
    }

    func setKey(_ key: borrowing SecretKey) throws(CryptographyError) {
        self.key = try key.duplicate()
    }

    func wipe() {
        key = nil
    }

    func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, authenticating data: Span<UInt8>,
        into ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let status: Int32
        switch key {
        case .none: throw .keyWiped
        case .some(let key):
            let keyBytes = key.bytes
            status = unsafe ciphertext.withUnsafeMutableBufferPointer { ciphertext in
                unsafe tag.withUnsafeMutableBufferPointer { tag in
                    unsafe Self.withPointers(plaintext, nonce, data, keyBytes) {
                        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
                            ciphertext.baseAddress ?? tag.baseAddress!, tag.baseAddress!, nil,
                            $0.baseAddress, UInt64($0.count), $2.baseAddress,
                            UInt64($2.count), nil, $1.baseAddress!, $3.baseAddress!)
                    }
                }
            }
        }
        guard status == 0 else { throw .library(code: 0) }
    }

    func open(
        _ ciphertext: Span<UInt8>, tag: Span<UInt8>, nonce: Span<UInt8>,
        authenticating data: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let status: Int32
        switch key {
        case .none: throw .keyWiped
        case .some(let key):
            let keyBytes = key.bytes
            status = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
                unsafe tag.withUnsafeBufferPointer { tag in
                    unsafe Self.withPointers(ciphertext, nonce, data, keyBytes) {
                        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                            plaintext.baseAddress, nil, $0.baseAddress ?? tag.baseAddress!,
                            UInt64($0.count), tag.baseAddress!, $2.baseAddress, UInt64($2.count),
                            $1.baseAddress!, $3.baseAddress!)
                    }
                }
            }
        }
        guard status == 0 else {
            Wipe.zero(&plaintext)
            throw .authenticationFailed
        }
    }

    /// Opens the four views that sealing and opening both read.
    private static func withPointers(
        _ input: Span<UInt8>, _ nonce: Span<UInt8>, _ data: Span<UInt8>, _ key: Span<UInt8>,
        _ body: (
            UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>,
            UnsafeBufferPointer<UInt8>
        ) -> Int32
    ) -> Int32 {
        unsafe input.withUnsafeBufferPointer { input in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe data.withUnsafeBufferPointer { data in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe body(input, nonce, data, key)
                    }
                }
            }
        }
    }
}
