import Cryptography

// The module takes spans; tests have arrays, and `#expect` cannot carry a span through its
// closures.

extension SyntheticIVCipher {
    func seal(_ plaintext: [UInt8], authenticating data: [UInt8]) throws -> [UInt8] {
        try seal(plaintext.span, authenticating: data.span)
    }

    func open(_ sealed: [UInt8], authenticating data: [UInt8]) throws -> [UInt8] {
        try open(sealed.span, authenticating: data.span)
    }

    func seal(_ plaintext: [UInt8], authenticatingEach components: [[UInt8]]) throws -> [UInt8] {
        try seal(plaintext.span, authenticatingEach: components)
    }

    func open(_ sealed: [UInt8], authenticatingEach components: [[UInt8]]) throws -> [UInt8] {
        try open(sealed.span, authenticatingEach: components)
    }
}

extension HKDF {
    static func deriveBytes(
        from secret: [UInt8], salt: [UInt8], info: [UInt8], outputByteCount: Int
    ) throws -> [UInt8] {
        try deriveBytes(
            from: secret.span, salt: salt.span, info: info.span, outputByteCount: outputByteCount)
    }
}

extension SHA256 {
    static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }
}

extension HMACSHA256 {
    static func authenticate(_ bytes: [UInt8], key: borrowing SecretKey) throws -> [UInt8] {
        try authenticate(bytes.span, key: key)
    }

    static func verify(
        _ tag: [UInt8], of bytes: [UInt8], key: borrowing SecretKey
    ) throws -> Bool {
        try verify(tag.span, of: bytes.span, key: key)
    }
}

extension KeyAgreement {
    static func sharedSecret(
        privateKey: borrowing SecretKey, publicKey: [UInt8]
    ) throws(CryptographyError) -> SecretKey {
        try sharedSecret(privateKey: privateKey, publicKey: publicKey.span)
    }
}

extension PasscodeDerivation {
    static func argon2id(
        passcode: [UInt8], salt: [UInt8], cost: PasscodeCost
    ) throws -> SecretKey {
        try argon2id(passcode: passcode.span, salt: salt.span, cost: cost)
    }
}
