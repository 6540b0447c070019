import Cryptography
import Testing

@Suite(
    .enabled(
        if: !Wycheproof.isMissing,
        "needs Wycheproof's files in ../shared/vectors or in the folder that SHARED_VECTORS names"))
struct `Wycheproof vectors` {
    /// How many cases of a file ran, and how many the interface cannot express.
    struct Tally {
        var ran = 0
        var skipped = 0

        func report(_ file: String) {
            print("\(file): \(ran) cases ran, \(skipped) skipped")
            #expect(ran > 0)
        }
    }

    @Test func `AES-256-GCM, the inner cipher of XAES-256-GCM`() throws {
        var tally = Tally()
        let cipher = try AES256GCM()
        for group in try Wycheproof.groups("aes_gcm_test.json") {
            guard group.keySize == 256, group.ivSize == 96 else {
                tally.skipped += group.tests.count
                continue
            }
            for vector in group.tests {
                tally.ran += 1
                let message = SealedMessage(
                    ciphertext: vector.ciphertext, tag: hex(vector.tag ?? ""))
                let sealed = try cipher.seal(vector)
                #expect((sealed == message) == vector.isValid, "tcId \(vector.tcId)")
                let opened = cipher.open(message, vector)
                let expected = Opened(
                    plaintext: vector.isValid
                        ? vector.plaintext
                        : [UInt8](repeating: 0, count: message.ciphertext.count),
                    error: vector.isValid ? nil : .authenticationFailed)
                #expect(opened == expected, "tcId \(vector.tcId)")
            }
        }
        tally.report("aes_gcm")
    }

    @Test func `ChaCha20-Poly1305, the inner cipher of XChaCha20-Poly1305`() throws {
        var tally = Tally()
        for group in try Wycheproof.groups("chacha20_poly1305_test.json") {
            for vector in group.tests {
                guard vector.nonce.count == 12 else {
                    tally.skipped += 1
                    continue
                }
                tally.ran += 1
                let key = hex(vector.key ?? "")
                let sealed = vector.ciphertext + hex(vector.tag ?? "")
                let opened = CLibraries.openChaCha20Poly1305(
                    sealed, key: key, nonce: vector.nonce, authenticating: vector.data)
                #expect(opened == (vector.isValid ? vector.plaintext : nil), "tcId \(vector.tcId)")
                guard vector.isValid else { continue }
                let again = CLibraries.sealChaCha20Poly1305(
                    vector.plaintext, key: key, nonce: vector.nonce, authenticating: vector.data)
                #expect(again == sealed, "tcId \(vector.tcId)")
            }
        }
        tally.report("chacha20_poly1305")
    }

    @Test func `AES-256-SIV with one component`() throws {
        var tally = Tally()
        for group in try Wycheproof.groups("aes_siv_cmac_test.json") {
            for vector in group.tests {
                guard group.keySize == 512, !vector.plaintext.isEmpty else {
                    tally.skipped += 1
                    continue
                }
                tally.ran += 1
                try checkSyntheticIV(
                    vector, sealed: vector.ciphertext, components: [vector.data])
            }
        }
        tally.report("aes_siv_cmac")
    }

    @Test func `AES-256-SIV with a nonce`() throws {
        var tally = Tally()
        for group in try Wycheproof.groups("aead_aes_siv_cmac_test.json") {
            for vector in group.tests {
                guard group.keySize == 512, !vector.plaintext.isEmpty else {
                    tally.skipped += 1
                    continue
                }
                tally.ran += 1
                try checkSyntheticIV(
                    vector, sealed: hex(vector.tag ?? "") + vector.ciphertext,
                    components: [vector.data, vector.nonce])
            }
        }
        tally.report("aead_aes_siv_cmac")
    }

    @Test func `HKDF with SHA-256`() throws {
        var tally = Tally()
        for vector in try Wycheproof.groups("hkdf_sha256_test.json").flatMap(\.tests) {
            tally.ran += 1
            let secret = hex(vector.ikm ?? "")
            let salt = hex(vector.salt ?? "")
            let info = hex(vector.info ?? "")
            let output = try? HKDF.deriveBytes(
                from: secret, salt: salt, info: info,
                outputByteCount: vector.size ?? 0)
            #expect(output == (vector.isValid ? hex(vector.okm ?? "") : nil), "tcId \(vector.tcId)")
        }
        tally.report("hkdf_sha256")
    }

    @Test func `X25519, where zero is refused`() throws {
        var tally = Tally()
        for vector in try Wycheproof.groups("x25519_test.json").flatMap(\.tests) {
            tally.ran += 1
            let expected = hex(vector.shared ?? "")
            let privateKey = try SecretKey(hex(vector.private ?? ""))
            let publicKey = hex(vector.public ?? "")
            do throws(CryptographyError) {
                let secret = try KeyAgreement.sharedSecret(
                    privateKey: privateKey, publicKey: publicKey)
                #expect(secret.array == expected, "tcId \(vector.tcId)")
            } catch {
                #expect(error == .weakSharedSecret, "tcId \(vector.tcId)")
                #expect(expected.allSatisfy { $0 == 0 }, "tcId \(vector.tcId)")
            }
        }
        tally.report("x25519")
    }

    private func checkSyntheticIV(
        _ vector: Wycheproof.Case, sealed: [UInt8], components: [[UInt8]]
    ) throws {
        let key = hex(vector.key ?? "")
        let cipher = try SyntheticIVCipher(
            authenticationKey: SecretKey(Array(key.prefix(32))),
            encryptionKey: SecretKey(Array(key.suffix(32))))
        let opened = try? cipher.open(sealed, authenticatingEach: components)
        #expect(opened == (vector.isValid ? vector.plaintext : nil), "tcId \(vector.tcId)")
        guard vector.isValid else { return }
        let plaintext = vector.plaintext
        let again = try cipher.seal(plaintext, authenticatingEach: components)
        #expect(again == sealed, "tcId \(vector.tcId)")
        guard components.count == 1, !components[0].isEmpty else { return }
        let single = try cipher.seal(plaintext, authenticating: components[0])
        #expect(single == sealed, "tcId \(vector.tcId)")
    }
}

extension AES256GCM {
    fileprivate func seal(_ vector: Wycheproof.Case) throws -> SealedMessage {
        let plaintext = vector.plaintext
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        let key = hex(vector.key ?? "")
        let nonce = vector.nonce
        let data = vector.data
        try seal(
            plaintext.span, key: key.span, nonce: nonce.span, authenticating: data.span,
            into: &ciphertextSpan, tag: &tagSpan)
        return SealedMessage(ciphertext: ciphertext, tag: tag)
    }

    fileprivate func open(_ message: SealedMessage, _ vector: Wycheproof.Case) -> Opened {
        var plaintext = [UInt8](repeating: 0xFF, count: message.ciphertext.count)
        var span = plaintext.mutableSpan
        let key = hex(vector.key ?? "")
        let nonce = vector.nonce
        let data = vector.data
        do {
            try open(
                message.ciphertext.span, tag: message.tag.span, key: key.span, nonce: nonce.span,
                authenticating: data.span, into: &span)
            return Opened(plaintext: plaintext, error: nil)
        } catch {
            return Opened(plaintext: plaintext, error: error)
        }
    }
}
