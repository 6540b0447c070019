import Testing
import seal

/// What `seal setup` takes for a passcode that is not guessed at once.
@Suite struct PasscodeStrengthTests {
    private static let table: [(passcode: String, isEnough: Bool)] = [
        ("1234", false), ("123456", false), ("0000000000000", false), ("abcdefghijkl", false),
        ("password", false), ("Password1!", false), ("P@ss1", false), ("84617", false),
        ("qwerty123", false), ("", false), ("correct horse battery staple", true),
        ("84617290356", true), ("xK9#mQ2v", true), ("größe über alles", true),
    ]

    @Test func `a passcode is strong by its shape`() {
        for row in Self.table {
            let strength = PasscodeStrength(Array(row.passcode.utf8))
            let isEnough = strength.bits >= PasscodeStrength.enough
            #expect(isEnough == row.isEnough, "\(row.passcode): \(strength.bits)")
        }
    }
}
