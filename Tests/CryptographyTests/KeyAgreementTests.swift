import Cryptography
import Testing

@Suite struct `Key agreement` {
    /// RFC 7748, 6.1.
    @Test func `gives the keys and the secret of RFC 7748`() throws {
        let alice = try SecretKey(
            hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = try SecretKey(
            hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        let alicePublic = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        let bobPublic = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        let secret = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(try KeyAgreement.publicKey(of: alice) == alicePublic)
        #expect(try KeyAgreement.publicKey(of: bob) == bobPublic)
        let agreed = try KeyAgreement.sharedSecret(privateKey: alice, publicKey: bobPublic)
        #expect(agreed.array == secret)
    }

    @Test func `gives both parties the same secret`() throws {
        let alice = try SecretKey.random()
        let bob = try SecretKey.random()
        let first = try KeyAgreement.sharedSecret(
            privateKey: alice, publicKey: KeyAgreement.publicKey(of: bob))
        let second = try KeyAgreement.sharedSecret(
            privateKey: bob, publicKey: KeyAgreement.publicKey(of: alice))
        let same = first.matches(second)
        #expect(same)
    }

    /// The points of small order, among them the two that are not reduced (RFC 7748, 7).
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func `refuses a public key that forces the secret to zero`(publicKey: String) throws {
        let privateKey = try SecretKey.random()
        let publicKey = hex(publicKey)
        #expect(throws: CryptographyError.weakSharedSecret) {
            _ = try KeyAgreement.sharedSecret(
                privateKey: privateKey, publicKey: publicKey)
        }
    }

    @Test(arguments: [0, 31, 33])
    func `refuses a public key of another length`(count: Int) throws {
        let privateKey = try SecretKey.random()
        let publicKey = [UInt8](repeating: 9, count: count)
        #expect(throws: CryptographyError.invalidLength) {
            _ = try KeyAgreement.sharedSecret(
                privateKey: privateKey, publicKey: publicKey)
        }
    }
}
