/// base64url without padding, RFC 4648 section 5; only the canonical form is read.
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    /// Whether a character stands for bits.
    package static func isCharacter(_ character: Character) -> Bool {
        character.asciiValue.map { values[Int($0)] != 0xFF } ?? false
    }

    /// How many characters stand for `byteCount` bytes.
    package static func characterCount(forByteCount byteCount: Int) -> Int {
        (byteCount * 4 + 2) / 3
    }

    /// The text for some bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(characterCount(forByteCount: bytes.count))
        var pending: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(pending >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(pending << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; `nil` when it is not canonical base64url.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = text.utf8
        guard characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var pending: UInt32 = 0
        var bitCount = 0
        for character in characters {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            pending = pending << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bitCount)))
            }
        }
        guard pending & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
        return bytes
    }
}
