import Cryptography
import Testing

@Suite struct `AEAD known answers` {
    struct KnownAnswer: Sendable {
        let algorithm: AEADAlgorithm
        let key: [UInt8]
        let nonce: [UInt8]
        let data: [UInt8]
        let plaintext: [UInt8]
        let sealed: [UInt8]
    }

    /// c2sp.org/XAES-256-GCM, "Test vectors": L's first bit is clear under the first key, set under
    /// the second.
    static let xaes: [KnownAnswer] = [
        KnownAnswer(
            algorithm: .xaes256GCM, key: [UInt8](repeating: 1, count: 32),
            nonce: Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8), data: [],
            plaintext: Array("XAES-256-GCM".utf8),
            sealed: hex("ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271")),
        KnownAnswer(
            algorithm: .xaes256GCM, key: [UInt8](repeating: 3, count: 32),
            nonce: Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8),
            data: Array("c2sp.org/XAES-256-GCM".utf8), plaintext: Array("XAES-256-GCM".utf8),
            sealed: hex("986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d")),
    ]

    /// draft-irtf-cfrg-xchacha-03, A.3.1.
    static let xChaCha = KnownAnswer(
        algorithm: .xChaCha20Poly1305, key: (0x80...0x9F).map { $0 },
        nonce: (0x40...0x57).map { $0 }, data: hex("50515253c0c1c2c3c4c5c6c7"),
        plaintext: Array(
            ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
                + "the future, sunscreen would be it.").utf8),
        sealed: hex(
            "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
                + "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
                + "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
                + "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49"))

    @Test(arguments: xaes + [xChaCha])
    func `published messages are sealed to the published bytes`(answer: KnownAnswer) throws {
        let context = try AEADContext(answer.algorithm)
        try context.setKey(SecretKey(answer.key))
        let message = try context.seal(
            answer.plaintext, nonce: answer.nonce, authenticating: answer.data)
        #expect(message.ciphertext + message.tag == answer.sealed)
        let opened = context.open(message, nonce: answer.nonce, authenticating: answer.data)
        #expect(opened == Opened(plaintext: answer.plaintext, error: nil))
    }

    /// c2sp.org/XAES-256-GCM, "Accumulated randomized tests", with one context for all keys.
    @Test func `ten thousand random messages have the published digest`() throws {
        var stream = ByteReader(CLibraries.shake128([], outputByteCount: 6_000_000))
        let context = try AEADContext(.xaes256GCM)
        var accumulated: [UInt8] = []
        for _ in 0..<10_000 {
            try context.setKey(SecretKey(stream.take(32)))
            let nonce = stream.take(24)
            let plaintext = stream.take(Int(stream.take(1)[0]))
            let data = stream.take(Int(stream.take(1)[0]))
            let message = try context.seal(plaintext, nonce: nonce, authenticating: data)
            let opened = context.open(message, nonce: nonce, authenticating: data)
            #expect(opened == Opened(plaintext: plaintext, error: nil))
            accumulated += message.ciphertext + message.tag
        }
        #expect(
            CLibraries.shake128(accumulated, outputByteCount: 32)
                == hex("e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"))
    }
}

/// Takes bytes from the front of an array.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
