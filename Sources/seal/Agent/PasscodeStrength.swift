import Glibc

/// How much work it is to guess a passcode, as far as its shape tells.
package struct PasscodeStrength: Sendable, Hashable {
    /// The guesses it takes, as a power of two. What a person has used elsewhere takes fewer.
    package let bits: Double

    /// What a setup takes: at about a second a try a thousand machines need a year for it, with
    /// the folder and the device key in a thief's hands.
    package static let enough = 35.0

    /// The passcodes that are tried first, and what people make of them.
    private static let common: Set<String> = [
        "password", "passwort", "qwerty", "qwertz", "letmein", "welcome", "iloveyou", "dragon",
        "monkey", "sunshine", "princess", "football", "baseball", "master", "shadow", "secret",
        "admin", "trustno", "abc", "love", "hello", "test", "pass", "login", "asdfgh", "zxcvbn",
    ]

    /// Looks at the bytes of a passcode.
    package init(_ bytes: some Collection<UInt8>) {
        let text = Array(bytes)
        var alphabet = 0
        if text.contains(where: { (0x30...0x39).contains($0) }) { alphabet += 10 }
        if text.contains(where: { (0x61...0x7A).contains($0) }) { alphabet += 26 }
        if text.contains(where: { (0x41...0x5A).contains($0) }) { alphabet += 26 }
        if text.contains(where: { $0 < 0x30 || (0x3A...0x40).contains($0) }) { alphabet += 33 }
        if text.contains(where: { $0 >= 0x7B }) { alphabet += 40 }
        let perCharacter = log2(Double(max(alphabet, 2)))
        var bits = Double(Self.surprising(text)) * perCharacter
        // What is on every list is no secret, whatever stands around it.
        let letters = text.filter { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }.map { $0 | 0x20 }
        if Self.common.contains(String(decoding: letters, as: UTF8.self)) {
            bits = 8 + Double(text.count - letters.count) * 2
        }
        self.bits = bits
    }

    /// How many bytes neither repeat the one before nor go on counting from it.
    private static func surprising(_ text: [UInt8]) -> Int {
        var count = 0
        var lastStep: Int?
        for index in text.indices {
            let step = index == 0 ? nil : Int(text[index]) - Int(text[index - 1])
            let isExpected = step == 0 || (step != nil && step == lastStep && abs(step!) == 1)
            if !isExpected { count += 1 }
            lastStep = step
        }
        return count
    }
}
