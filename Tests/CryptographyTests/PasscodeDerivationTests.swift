import Cryptography
import Testing

@Suite struct `Passcode derivation` {
    static let salt = (0..<16).map { UInt8($0) }

    /// Computed with the Argon2 reference implementation (github.com/P-H-C/phc-winner-argon2), one
    /// lane.
    @Test(arguments: [
        (
            passcode: "correct horse battery staple", cost: PasscodeCost.interactive,
            key: "c05ce4c4dd7e0e45ee6011cc59d068ade47df1b01fc0cf9cd4678bdf68a5b7b0"
        ),
        (
            passcode: "123456", cost: PasscodeCost(operations: 1, memoryByteCount: 8 << 10),
            key: "3f1baad7e4807ebb384522bcf79fada1222b5f96f946be3ed6d483b64d14629a"
        ),
        (
            passcode: "", cost: PasscodeCost(operations: 3, memoryByteCount: 1 << 20),
            key: "55cbc0bb08083e133dac010f5480bd2aa3c96d2811000b9629e9895f1fa0ef1e"
        ),
    ])
    func `gives the reference implementation's keys`(
        answer: (passcode: String, cost: PasscodeCost, key: String)
    ) throws {
        let key = try PasscodeDerivation.argon2id(
            passcode: Array(answer.passcode.utf8), salt: Self.salt, cost: answer.cost)
        #expect(key.array == hex(answer.key))
    }

    @Test(arguments: [
        PasscodeCost(operations: 0, memoryByteCount: 1 << 20),
        PasscodeCost(operations: 1, memoryByteCount: 8191),
        PasscodeCost(operations: 1, memoryByteCount: .max),
    ])
    func `refuses a cost that Argon2id does not define`(cost: PasscodeCost) {
        #expect(throws: CryptographyError.invalidLength) {
            _ = try PasscodeDerivation.argon2id(
                passcode: [1], salt: Self.salt, cost: cost)
        }
    }

    @Test(arguments: [0, 15, 17])
    func `refuses a salt of another length`(count: Int) {
        let salt = [UInt8](repeating: 0, count: count)
        #expect(throws: CryptographyError.invalidLength) {
            _ = try PasscodeDerivation.argon2id(
                passcode: [1], salt: salt,
                cost: PasscodeCost(operations: 1, memoryByteCount: 8 << 10))
        }
    }

    @Test(.enabled(if: !isSanitized, "a sanitizer needs more address space than the limit"))
    func `says so when the memory cannot be had`() async {
        await #expect(processExitsWith: .success) {
            limitAddressSpace(to: 1 << 30)
            #expect(throws: CryptographyError.outOfMemory) {
                _ = try PasscodeDerivation.argon2id(
                    passcode: [1], salt: Self.salt, cost: .sensitive)
            }
        }
    }
}
