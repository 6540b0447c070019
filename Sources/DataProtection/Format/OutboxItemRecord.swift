/// What an outbox item's file holds before its body (docs/format.md 12).
///
/// It is the plaintext of a file, so it is authenticated as every file's content is; what is
/// checked here is that the file is the one that its name says.
package struct OutboxItemRecord: Hashable, Sendable {
    /// The item's number, as in its name.
    package var number: Int64
    /// Names the message for the receiver, 16 bytes.
    package var key: [UInt8]
    /// When it was saved, in milliseconds since 1970.
    package var savedAt: Int64
    /// The label, UTF-8.
    package var name: [UInt8]
    /// How long the body behind it is, in bytes.
    package var bodyByteCount: Int64

    /// The length of what comes before the label, in bytes.
    package static let fixedByteCount = 56

    private static let magic = Array("SDPITEM".utf8)
    private static let version: UInt8 = 1

    /// Describes an item.
    package init(
        number: Int64, key: [UInt8], savedAt: Int64, name: [UInt8], bodyByteCount: Int64
    ) {
        self.number = number
        self.key = key
        self.savedAt = savedAt
        self.name = name
        self.bodyByteCount = bodyByteCount
    }

    /// The record as stored; the body comes behind it.
    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(Self.version)
        bytes.append(littleEndian: number)
        bytes.append(contentsOf: key)
        bytes.append(littleEndian: savedAt)
        bytes.append(littleEndian: bodyByteCount)
        bytes.append(littleEndian: UInt16(name.count))
        bytes.appendZeros(6)
        bytes.append(contentsOf: name)
        return bytes
    }

    /// Reads the part of fixed length, or tells why it is none.
    ///
    /// - Parameters:
    ///   - bytes: the beginning of the file, of any length.
    ///   - fileByteCount: how long the file is.
    /// - Returns: the record without its label, and how long the label is.
    package static func read(
        _ bytes: [UInt8], fileByteCount: Int64
    ) throws(FormatError) -> (record: OutboxItemRecord, nameByteCount: Int) {
        guard bytes.count >= fixedByteCount, bytes.field(0..<7) == magic else {
            throw .damaged("no outbox item")
        }
        guard bytes[7] == version else { throw .newerVersion(UInt32(bytes[7])) }
        let bodyByteCount: Int64 = bytes.integer(at: 40)
        let nameByteCount = Int(bytes.integer(at: 48, as: UInt16.self))
        let rest = fileByteCount - Int64(fixedByteCount + nameByteCount)
        guard bytes.isZero(in: 50..<56), rest >= 0, bodyByteCount == rest else {
            throw .damaged("an outbox item whose lengths do not agree")
        }
        let record = OutboxItemRecord(
            number: bytes.integer(at: 8), key: bytes.field(16..<32),
            savedAt: bytes.integer(at: 32), name: [], bodyByteCount: bodyByteCount)
        return (record, nameByteCount)
    }
}
