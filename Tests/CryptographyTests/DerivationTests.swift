import Cryptography
import Testing

@Suite struct `Derivation known answers` {
    /// RFC 5869, A.1 to A.3.
    @Test(arguments: [
        (
            ikm: hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
            salt: hex("000102030405060708090a0b0c"), info: hex("f0f1f2f3f4f5f6f7f8f9"),
            output: hex(
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                    + "34007208d5b887185865")
        ),
        (
            ikm: hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"), salt: [], info: [],
            output: hex(
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                    + "9d201395faa4b61a96c8")
        ),
    ])
    func `HKDF gives the bytes of RFC 5869`(
        answer: (ikm: [UInt8], salt: [UInt8], info: [UInt8], output: [UInt8])
    ) throws {
        let output = try HKDF.deriveBytes(
            from: answer.ikm, salt: answer.salt, info: answer.info,
            outputByteCount: 42)
        #expect(output == answer.output)
    }

    @Test func `HKDF gives the same key whichever form is called`() throws {
        let secret = try SecretKey([UInt8](repeating: 7, count: 32))
        let salt = [UInt8](repeating: 9, count: 32)
        let info = Array("class A".utf8)
        let bytes = try HKDF.deriveBytes(
            from: secret.array, salt: salt, info: info, outputByteCount: 32)
        let key = try HKDF.deriveKey(from: secret, salt: salt, info: info)
        let salted = try HKDF.deriveKey(from: secret, saltKey: SecretKey(salt), info: info)
        #expect(key.array == bytes)
        #expect(salted.array == bytes)
        let other = try HKDF.deriveKey(from: secret, salt: salt, info: Array("class B".utf8))
        #expect(other.array != bytes)
    }

    @Test(arguments: [0, 8161])
    func `HKDF refuses a count it cannot give`(count: Int) {
        #expect(throws: CryptographyError.invalidLength) {
            try HKDF.deriveBytes(
                from: [1], salt: [], info: [], outputByteCount: count)
        }
    }

    @Test func `HKDF takes as much info as it says and no more`() throws {
        let secret = try SecretKey.random()
        _ = try HKDF.deriveKey(
            from: secret, salt: [], info: [UInt8](repeating: 1, count: HKDF.maximumInfoByteCount))
        #expect(throws: CryptographyError.invalidLength) {
            _ = try HKDF.deriveKey(from: secret, salt: [], info: [UInt8](repeating: 1, count: 1025))
        }
    }

    /// FIPS 180-4's example "abc", and the empty message.
    @Test func `SHA-256 gives the published digests`() {
        #expect(
            SHA256.hash(Array("abc".utf8))
                == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            SHA256.hash([])
                == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    /// RFC 4231, 4.2 and 4.3: HMAC pads short keys with zeros, so 32-byte keys can stand for them.
    @Test(arguments: [
        (
            key: [UInt8](repeating: 0x0B, count: 20), message: "Hi There",
            tag: hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        ),
        (
            key: Array("Jefe".utf8), message: "what do ya want for nothing?",
            tag: hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        ),
    ])
    func `HMAC gives the tags of RFC 4231`(
        answer: (key: [UInt8], message: String, tag: [UInt8])
    ) throws {
        let padding = [UInt8](repeating: 0, count: 32 - answer.key.count)
        let key = try SecretKey(answer.key + padding)
        let message = Array(answer.message.utf8)
        #expect(try HMACSHA256.authenticate(message, key: key) == answer.tag)
    }

    @Test(arguments: [16, 24, 32])
    func `HMAC verifies a truncated tag and refuses a changed one`(count: Int) throws {
        let key = try SecretKey.random()
        let message = Array("header".utf8)
        let tag = Array(try HMACSHA256.authenticate(message, key: key).prefix(count))
        #expect(try HMACSHA256.verify(tag, of: message, key: key))
        for index in tag.indices {
            var changed = tag
            changed[index] ^= 1
            #expect(try !HMACSHA256.verify(changed, of: message, key: key))
        }
        #expect(try !HMACSHA256.verify(tag, of: [], key: key))
    }

    @Test(arguments: [0, 15, 33])
    func `HMAC refuses to verify a tag of another length`(count: Int) throws {
        let key = try SecretKey.random()
        let tag = [UInt8](repeating: 0, count: count)
        #expect(throws: CryptographyError.invalidLength) {
            try HMACSHA256.verify(tag, of: [], key: key)
        }
    }
}
