import Cryptography
import Testing

@Suite struct `A secret key` {
    @Test func `keeps the bytes it was made from`() throws {
        let bytes = (0..<32).map { UInt8($0) }
        #expect(try SecretKey(bytes).array == bytes)
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `is never made from another count of bytes`(count: Int) {
        #expect(throws: CryptographyError.invalidLength) {
            _ = try SecretKey([UInt8](repeating: 1, count: count))
        }
    }

    @Test func `is filled by a closure that starts from zeros`() throws {
        let key = try SecretKey { bytes in
            for index in bytes.indices { bytes[index] += UInt8(index) }
        }
        #expect(key.array == (0..<32).map { UInt8($0) })
    }

    @Test func `differs from the next random one`() throws {
        let first = try SecretKey.random()
        let second = try SecretKey.random()
        let same = first.matches(second)
        #expect(!same)
    }

    @Test func `matches its duplicate and outlives it`() throws {
        let key = try SecretKey.random()
        let bytes = key.array
        do {
            let second = try key.duplicate()
            let same = key.matches(second)
            #expect(same)
        }
        #expect(key.array == bytes)
    }

    @Test(arguments: [0, 15, 31])
    func `does not match a key that differs in one bit`(index: Int) throws {
        let key = try SecretKey.random()
        var bytes = key.array
        bytes[index] ^= 0x80
        let other = try SecretKey(bytes)
        let same = key.matches(other)
        #expect(!same)
    }
}

@Suite struct `Random and wiped bytes` {
    @Test func `random bytes come in the count asked for and differ`() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }

    @Test func `a wiped array keeps its count and holds zeros`() {
        var bytes: [UInt8] = [1, 2, 3]
        Wipe.zero(&bytes)
        #expect(bytes == [0, 0, 0])
        var none: [UInt8] = []
        Wipe.zero(&none)
        #expect(none.isEmpty)
    }
}
