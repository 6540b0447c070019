import Cryptography
import Testing

@Suite struct `A cipher context` {
    static let data = Array("volume, file, page".utf8)

    @Test(arguments: AEADAlgorithm.allCases)
    func `opens what it sealed, at every size around a block and a page`(
        algorithm: AEADAlgorithm
    ) throws {
        var random = SeededGenerator(for: "round trips, \(algorithm)")
        let context = try AEADContext(algorithm)
        try context.setKey(SecretKey.random())
        for count in Array(0...70) + [4051, 4052, 4095, 4096, 4097, 1 << 20] {
            let plaintext = random.bytes(count)
            let nonce = random.bytes(24)
            let message = try context.seal(plaintext, nonce: nonce, authenticating: Self.data)
            #expect(count < 16 || message.ciphertext != plaintext)
            let opened = context.open(message, nonce: nonce, authenticating: Self.data)
            #expect(opened == Opened(plaintext: plaintext, error: nil), "\(count) bytes")
        }
    }

    @Test(arguments: AEADAlgorithm.allCases)
    func `refuses every change of a byte and leaves only zeros`(algorithm: AEADAlgorithm) throws {
        var random = SeededGenerator(for: "tampering, \(algorithm)")
        let context = try AEADContext(algorithm)
        try context.setKey(SecretKey.random())
        let nonce = random.bytes(24)
        let message = try context.seal(random.bytes(100), nonce: nonce, authenticating: Self.data)
        let refused = Opened(
            plaintext: [UInt8](repeating: 0, count: 100), error: .authenticationFailed)

        for index in message.ciphertext.indices {
            var changed = message
            changed.ciphertext[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(
                context.open(changed, nonce: nonce, authenticating: Self.data) == refused,
                "ciphertext byte \(index)")
        }
        for index in message.tag.indices {
            var changed = message
            changed.tag[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(
                context.open(changed, nonce: nonce, authenticating: Self.data) == refused,
                "tag byte \(index)")
        }
        for index in nonce.indices {
            var changed = nonce
            changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(
                context.open(message, nonce: changed, authenticating: Self.data) == refused,
                "nonce byte \(index)")
        }
        for index in Self.data.indices {
            var changed = Self.data
            changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(
                context.open(message, nonce: nonce, authenticating: changed) == refused,
                "data byte \(index)")
        }
        #expect(context.open(message, nonce: nonce, authenticating: []) == refused)
        #expect(context.open(message, nonce: nonce, authenticating: Self.data).error == nil)
    }

    @Test(arguments: AEADAlgorithm.allCases)
    func `refuses what was sealed under another key`(algorithm: AEADAlgorithm) throws {
        let context = try AEADContext(algorithm)
        let nonce = SecureRandom.bytes(24)
        try context.setKey(SecretKey.random())
        let message = try context.seal([1, 2, 3], nonce: nonce, authenticating: [])
        try context.setKey(SecretKey.random())
        let opened = context.open(message, nonce: nonce, authenticating: [])
        #expect(opened == Opened(plaintext: [0, 0, 0], error: .authenticationFailed))
    }

    @Test(arguments: AEADAlgorithm.allCases)
    func `does nothing before it has a key and after it was wiped`(
        algorithm: AEADAlgorithm
    ) throws {
        let context = try AEADContext(algorithm)
        let nonce = SecureRandom.bytes(24)
        #expect(throws: CryptographyError.keyWiped) {
            try context.seal([1], nonce: nonce, authenticating: [])
        }
        let key = try SecretKey.random()
        try context.setKey(key)
        let message = try context.seal([1], nonce: nonce, authenticating: [])
        context.wipe()
        #expect(throws: CryptographyError.keyWiped) {
            try context.seal([1], nonce: nonce, authenticating: [])
        }
        #expect(context.open(message, nonce: nonce, authenticating: []).error == .keyWiped)
        context.wipe()
        try context.setKey(key)
        #expect(
            context.open(message, nonce: nonce, authenticating: [])
                == Opened(plaintext: [1], error: nil))
    }

    @Test(arguments: AEADAlgorithm.allCases, [0, 12, 23, 25])
    func `refuses a nonce of another length`(algorithm: AEADAlgorithm, count: Int) throws {
        let context = try AEADContext(algorithm)
        try context.setKey(SecretKey.random())
        #expect(throws: CryptographyError.invalidLength) {
            try context.seal(
                [1], nonce: [UInt8](repeating: 0, count: count), authenticating: [])
        }
    }

    @Test(arguments: AEADAlgorithm.allCases)
    func `refuses buffers of the wrong length`(algorithm: AEADAlgorithm) throws {
        let context = try AEADContext(algorithm)
        try context.setKey(SecretKey.random())
        let nonce = SecureRandom.bytes(24)
        var short = [UInt8](repeating: 0, count: 15)
        var right = [UInt8](repeating: 0, count: 16)
        #expect(throws: CryptographyError.invalidLength) {
            var output = short.mutableSpan
            var tag = right.mutableSpan
            try context.seal(
                nonce.span.extracting(first: 16), nonce: nonce.span,
                authenticating: nonce.span, into: &output, tag: &tag)
        }
        #expect(throws: CryptographyError.invalidLength) {
            var output = right.mutableSpan
            var tag = short.mutableSpan
            try context.seal(
                nonce.span.extracting(first: 16), nonce: nonce.span,
                authenticating: nonce.span, into: &output, tag: &tag)
        }
        let message = SealedMessage(ciphertext: right, tag: short)
        #expect(context.open(message, nonce: nonce, authenticating: []).error == .invalidLength)
    }
}
