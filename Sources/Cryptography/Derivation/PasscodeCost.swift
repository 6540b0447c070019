/// What a guess at a passcode costs: Argon2id's two parameters, with one lane.
package struct PasscodeCost: Sendable, Equatable {
    /// How many passes over the memory, 1 or more.
    package var operations: UInt32

    /// How much memory, in bytes: 8 KiB or more, used in whole KiB.
    package var memoryByteCount: UInt64

    /// Names a cost.
    ///
    /// - Parameters:
    ///   - operations: how many passes over the memory.
    ///   - memoryByteCount: how much memory, in bytes.
    package init(operations: UInt32, memoryByteCount: UInt64) {
        self.operations = operations
        self.memoryByteCount = memoryByteCount
    }

    /// 2 passes over 64 MiB (`crypto_pwhash_*_INTERACTIVE`).
    package static let interactive = PasscodeCost(operations: 2, memoryByteCount: 64 << 20)

    /// 3 passes over 256 MiB (`crypto_pwhash_*_MODERATE`).
    package static let moderate = PasscodeCost(operations: 3, memoryByteCount: 256 << 20)

    /// 4 passes over 1 GiB (`crypto_pwhash_*_SENSITIVE`).
    package static let sensitive = PasscodeCost(operations: 4, memoryByteCount: 1 << 30)
}
