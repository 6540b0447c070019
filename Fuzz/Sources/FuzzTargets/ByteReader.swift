/// Takes values from a fuzzer's bytes; zeros when there are no more.
public struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    /// Starts at the first byte.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all were taken.
    public var isEmpty: Bool { place >= bytes.count }

    /// The next byte.
    public mutating func byte() -> UInt8 {
        guard place < bytes.count else { return 0 }
        defer { place += 1 }
        return bytes[place]
    }

    /// The next bytes as a little-endian number.
    public mutating func number<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T {
        var value: T = 0
        for shift in 0..<(T.bitWidth / 8) {
            value |= T(truncatingIfNeeded: byte()) << T(truncatingIfNeeded: shift * 8)
        }
        return value
    }

    /// A number below a limit.
    public mutating func below(_ limit: Int) -> Int {
        let value = limit > 256 ? Int(number(UInt16.self)) : Int(byte())
        return limit > 0 ? value % limit : 0
    }

    /// So many of the next bytes; fewer when there are no more.
    public mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, place + max(0, count))
        defer { place = end }
        return Array(bytes[place..<end])
    }

    /// All that is left.
    public mutating func rest() -> [UInt8] { take(bytes.count) }

    /// The next bytes up to a byte, which is dropped; all that is left when it does not come.
    public mutating func take(until end: UInt8) -> [UInt8] {
        let stop = bytes[place...].firstIndex(of: end) ?? bytes.count
        defer { place = min(bytes.count, stop + 1) }
        return Array(bytes[place..<stop])
    }
}

extension ByteReader {
    /// Changes some bytes as the input says, until it ends.
    ///
    /// - Parameter keepsCount: whether the length stays.
    mutating func edit(_ target: inout [UInt8], keepsCount: Bool = true) {
        while !isEmpty { editOnce(&target, keepsCount: keepsCount) }
    }

    /// Changes some bytes once.
    mutating func editOnce(_ target: inout [UInt8], keepsCount: Bool = true) {
        let kind = byte() % (keepsCount ? 5 : 7)
        let start = target.isEmpty ? 0 : Int(number(UInt16.self)) % target.count
        let rest = target.count - start
        switch kind {
        case 0 where rest > 0: target[start] ^= byte()
        case 1: overwrite(&target, at: start, with: take(min(4, rest)))
        case 2: overwrite(&target, at: start, with: take(min(Int(byte()), rest)))
        case 3:
            let count = min(below(512), rest)
            overwrite(&target, at: start, with: [UInt8](repeating: 0, count: count))
        case 4 where rest > 0:
            let from = Int(number(UInt16.self)) % target.count
            let count = min(below(512), rest, target.count - from)
            overwrite(&target, at: start, with: Array(target[from..<from + count]))
        case 5: target.removeLast(rest)
        case 6: target += take(Int(byte()))
        default: break
        }
    }

    private func overwrite(_ target: inout [UInt8], at start: Int, with bytes: [UInt8]) {
        target.replaceSubrange(start..<start + bytes.count, with: bytes)
    }
}

extension [UInt8] {
    /// Exactly so many bytes: cut, or filled up with zeros.
    func fitted(to count: Int) -> [UInt8] {
        Array(prefix(count)) + [UInt8](repeating: 0, count: Swift.max(0, count - self.count))
    }
}
