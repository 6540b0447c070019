import Cryptography
import Testing

@Suite struct `A synthetic IV cipher` {
    static let folder = Array("folder 0123".utf8)

    static func cipher() throws -> SyntheticIVCipher {
        try SyntheticIVCipher(
            authenticationKey: SecretKey.random(), encryptionKey: SecretKey.random())
    }

    /// Wycheproof, aes_siv_cmac_test.json, tcId 303.
    @Test func `seals a published message to the published bytes`() throws {
        let cipher = try SyntheticIVCipher(
            authenticationKey: SecretKey(
                hex("27faf97fb303aa4f2f364edd23997f4c77b8e51ebb8293c59dfb1d24f0fb629f")),
            encryptionKey: SecretKey(
                hex("6c820fc2d91bf48f0035eeec347e37ec4fb0cb36102bcdc5a248c47a2f97eab9")))
        let data = hex("cc94f64e14df90265f7f12a8a0386d0a")
        let plaintext = hex("6b1db0f5a43376885002dc98bd556f1dac9b66b66213a9fa6069df995a123384")
        let sealed = try cipher.seal(plaintext, authenticating: data)
        #expect(
            sealed
                == hex(
                    "d0016d675b49f11ea873707412d45709b7703a028a0cfc312cf61cbe22b91e3c"
                        + "f20b7d4c9308ee15f18b4eba00889284"))
        #expect(try cipher.open(sealed, authenticating: data) == plaintext)
    }

    @Test func `gives the same bytes again for the same name in the same folder only`() throws {
        let cipher = try Self.cipher()
        let name = Array("letter.txt".utf8)
        let first = try cipher.seal(name, authenticating: Self.folder)
        #expect(try cipher.seal(name, authenticating: Self.folder) == first)
        #expect(try cipher.seal(name, authenticating: [1]) != first)
        #expect(try cipher.open(first, authenticating: Self.folder) == name)
        #expect(try cipher.open(first, authenticating: Self.folder) == name)
    }

    @Test func `refuses every change of a byte`() throws {
        let cipher = try Self.cipher()
        let sealed = try cipher.seal(Array("letter.txt".utf8), authenticating: Self.folder)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 4
            #expect(throws: CryptographyError.authenticationFailed, "byte \(index)") {
                try cipher.open(changed, authenticating: Self.folder)
            }
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try cipher.open(sealed, authenticating: [1])
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try cipher.open(Array(sealed.prefix(16)), authenticating: Self.folder)
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try cipher.open([], authenticating: Self.folder)
        }
    }

    @Test func `refuses an empty message and empty data`() throws {
        let cipher = try Self.cipher()
        #expect(throws: CryptographyError.invalidLength) {
            try cipher.seal([], authenticating: Self.folder)
        }
        #expect(throws: CryptographyError.invalidLength) {
            try cipher.seal([1], authenticating: [])
        }
    }

    @Test func `does nothing after it was wiped`() throws {
        let cipher = try Self.cipher()
        let sealed = try cipher.seal([1], authenticating: Self.folder)
        cipher.wipe()
        #expect(throws: CryptographyError.keyWiped) {
            try cipher.seal([1], authenticating: Self.folder)
        }
        #expect(throws: CryptographyError.keyWiped) {
            try cipher.open(sealed, authenticating: Self.folder)
        }
    }

    @Test func `serves many threads at once`() async throws {
        let cipher = try Self.cipher()
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let name = [UInt8](repeating: UInt8(number), count: 20 + number)
                    return (0..<500).allSatisfy { _ in
                        guard
                            let sealed = try? cipher.seal(
                                name, authenticating: Self.folder)
                        else { return false }
                        return (try? cipher.open(sealed, authenticating: Self.folder))
                            == name
                    }
                }
            }
            for await kept in group { #expect(kept) }
        }
    }
}
