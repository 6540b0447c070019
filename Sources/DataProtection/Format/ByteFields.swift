// Little-endian fields in byte arrays: the only place that knows the byte order.

extension [UInt8] {
    /// The bytes of a little-endian integer.
    package init(littleEndian value: some FixedWidthInteger) {
        self.init()
        append(littleEndian: value)
    }

    /// Appends an integer, least significant byte first.
    package mutating func append(littleEndian value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends `count` zeros.
    package mutating func appendZeros(_ count: Int) {
        append(contentsOf: repeatElement(0, count: count))
    }

    /// The little-endian integer at an offset.
    package func integer<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
        var value: T = 0
        for index in (offset..<(offset + T.bitWidth / 8)).reversed() {
            value = value << 8 | T(truncatingIfNeeded: self[index])
        }
        return value
    }

    /// Whether all bytes in a range are zero.
    package func isZero(in range: Range<Int>) -> Bool {
        self[range].allSatisfy { $0 == 0 }
    }

    /// A copy of a range.
    package func field(_ range: Range<Int>) -> [UInt8] { Array(self[range]) }

    /// Overwrites bytes from an offset on.
    package mutating func replace(at offset: Int, with bytes: [UInt8]) {
        replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
}
