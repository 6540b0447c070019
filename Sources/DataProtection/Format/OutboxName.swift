/// The names of an outbox's folders and files (docs/format.md 12): numbers and a length, nothing
/// that a person wrote.
package struct OutboxName: Hashable, Sendable, Comparable {
    /// The item's number, from 1.
    package var number: Int64
    /// The length of its body, in bytes.
    package var bodyByteCount: Int64

    /// No item has a higher number, and none a longer body: sums stay in their range.
    package static let highestNumber: Int64 = 1 << 52 - 1
    private static let longestBody: Int64 = 1 << 44 - 1

    /// Names an item.
    package init(number: Int64, bodyByteCount: Int64) {
        self.number = number
        self.bodyByteCount = bodyByteCount
    }

    /// Reads a name; `nil` for one that no outbox makes.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Self.number(parts[0]),
            let count = Int64(parts[1]), (0...Self.longestBody).contains(count),
            String(count) == parts[1]
        else { return nil }
        self.init(number: number, bodyByteCount: count)
    }

    /// The item's file name: the number in 16 hexadecimal digits, so that names sort as numbers
    /// do, a hyphen, the length.
    package var text: String { Self.digits(number) + "-" + String(bodyByteCount) }

    /// Which folder an item is in: 1024 consecutive numbers share one, so that none is ever long.
    package var shelf: Int64 { number >> 10 }

    /// The order of the numbers.
    package static func < (left: OutboxName, right: OutboxName) -> Bool {
        left.number < right.number
    }

    /// A number as names have it.
    package static func digits(_ number: Int64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    /// Reads a number as names have it.
    package static func number(_ text: some StringProtocol) -> Int64? {
        guard text.utf8.count == 16, let number = Int64(text, radix: 16),
            (0...highestNumber).contains(number), digits(number) == text
        else { return nil }
        return number
    }
}
