private import Cryptography

/// How a recovery key is written down (docs/format.md 5).
package enum RecoveryKeyText {
    /// The length of a recovery key, in bytes.
    package static let byteCount = 20

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let groupCharacterCount = 4
    private static let keyCharacterCount = 32

    /// Nine groups of four characters.
    package static func encode(_ bytes: [UInt8]) -> String {
        let characters = digits(of: bytes + checkBytes(of: bytes)).prefix(36).map { alphabet[$0] }
        return stride(from: 0, to: characters.count, by: groupCharacterCount)
            .map { String(characters[$0..<$0 + groupCharacterCount]) }.joined(separator: "-")
    }

    /// The bytes of a written recovery key.
    ///
    /// - Returns: `nil` when it is mistyped.
    package static func decode(_ text: String) -> [UInt8]? {
        var values: [Int] = []
        for character in text.uppercased() where !character.isWhitespace && character != "-" {
            let plain: Character =
                switch character {
                case "O": "0"
                case "I", "L": "1"
                default: character
                }
            guard let value = alphabet.firstIndex(of: plain) else { return nil }
            values.append(value)
        }
        guard values.count == 36 else { return nil }
        var bytes: [UInt8] = []
        var pending: UInt32 = 0
        var bitCount = 0
        for value in values.prefix(keyCharacterCount) {
            pending = pending << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bitCount)))
            }
        }
        let expected = digits(of: checkBytes(of: bytes)).prefix(4)
        guard Array(values.suffix(4)) == Array(expected) else { return nil }
        return bytes
    }

    /// Three bytes, of which the first 20 bits are the check.
    private static func checkBytes(of bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash((FormatLabel.bytes("recovery key") + bytes).span).prefix(3))
    }

    private static func digits(of bytes: [UInt8]) -> [Int] {
        var digits: [Int] = []
        var pending: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(Int(pending >> UInt32(bitCount) & 31))
            }
        }
        return digits
    }
}
