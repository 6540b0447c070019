/// Bytes of an even number of hexadecimal digits; anything else is an error in the test.
func hex(_ digits: String) -> [UInt8] {
    let digits = digits.utf8.map { UInt8(ascii: "0") <= $0 ? Character(Unicode.Scalar($0)) : " " }
    precondition(digits.count.isMultiple(of: 2), "an odd number of digits")
    return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(digits[$0].hexDigitValue! << 4 | digits[$0 + 1].hexDigitValue!)
    }
}

/// A generator whose sequence is fixed by its seed (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Prints the seed with the test's name; `TEST_SEED` in the environment replaces it.
    init(for test: String) {
        let chosen = environment("TEST_SEED").flatMap { UInt64($0) }
        state = chosen ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): TEST_SEED=\(state)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
