import Cryptography
import Testing

@Suite struct `A wrapped key` {
    static let place = Array("class A, file 7".utf8)

    @Test(arguments: AEADAlgorithm.allCases)
    func `is the same key when it is unwrapped`(algorithm: AEADAlgorithm) throws {
        let key = try SecretKey.random()
        let wrappingKey = try SecretKey.random()
        let wrapped = try KeyWrap.wrap(
            key, under: wrappingKey, algorithm: algorithm, authenticating: Self.place)
        #expect(wrapped.count == KeyWrap.byteCount)
        let unwrapped = try KeyWrap.unwrap(
            wrapped, under: wrappingKey, algorithm: algorithm, authenticating: Self.place)
        let same = unwrapped.matches(key)
        #expect(same)
    }

    @Test func `is different each time`() throws {
        let key = try SecretKey.random()
        let wrappingKey = try SecretKey.random()
        let first = try KeyWrap.wrap(
            key, under: wrappingKey, algorithm: .preferred, authenticating: [])
        let second = try KeyWrap.wrap(
            key, under: wrappingKey, algorithm: .preferred, authenticating: [])
        #expect(first != second)
    }

    @Test(arguments: AEADAlgorithm.allCases)
    func `does not open once any byte of it, its key or its place differs`(
        algorithm: AEADAlgorithm
    ) throws {
        let key = try SecretKey.random()
        let wrappingKey = try SecretKey.random()
        let wrapped = try KeyWrap.wrap(
            key, under: wrappingKey, algorithm: algorithm, authenticating: Self.place)
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 0x10
            #expect(throws: CryptographyError.authenticationFailed, "byte \(index)") {
                _ = try KeyWrap.unwrap(
                    changed, under: wrappingKey, algorithm: algorithm, authenticating: Self.place)
            }
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            _ = try KeyWrap.unwrap(
                wrapped, under: wrappingKey, algorithm: algorithm, authenticating: [])
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            _ = try KeyWrap.unwrap(
                wrapped, under: key, algorithm: algorithm, authenticating: Self.place)
        }
    }

    @Test(arguments: [0, 71, 73])
    func `is refused at another length`(count: Int) throws {
        let key = try SecretKey.random()
        #expect(throws: CryptographyError.invalidLength) {
            _ = try KeyWrap.unwrap(
                [UInt8](repeating: 0, count: count), under: key, algorithm: .preferred,
                authenticating: [])
        }
    }
}
