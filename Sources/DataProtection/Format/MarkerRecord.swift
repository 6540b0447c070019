package import Cryptography

/// Whether the volume was closed with everything durable (docs/format.md 6).
package struct MarkerRecord: Hashable, Sendable {
    /// Whether everything written is durable.
    package var isClean: Bool
    /// The volume it belongs to.
    package var volumeIdentifier: [UInt8]
    /// Counts the sessions that wrote.
    package var session: UInt64
    /// When it was written, in nanoseconds since 1970.
    package var time: UInt64

    /// The length of a marker, in bytes.
    package static let byteCount = 80

    private static let magic = Array("SDPMARK1".utf8)

    /// Describes a marker.
    package init(isClean: Bool, volumeIdentifier: [UInt8], session: UInt64, time: UInt64) {
        self.isClean = isClean
        self.volumeIdentifier = volumeIdentifier
        self.session = session
        self.time = time
    }

    private var authenticatedBytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt32(isClean ? 1 : 2))
        bytes.appendZeros(4)
        bytes.append(contentsOf: volumeIdentifier)
        bytes.append(littleEndian: session)
        bytes.append(littleEndian: time)
        return bytes
    }

    /// The marker as stored.
    package func bytes(key: borrowing SecretKey) throws(CryptographyError) -> [UInt8] {
        let bytes = authenticatedBytes
        let message = FormatLabel.bytes("marker") + bytes
        return bytes + (try HMACSHA256.authenticate(message.span, key: key))
    }

    /// Reads a marker.
    ///
    /// - Returns: `nil` when it is not this volume's, or does not verify.
    package static func read(
        _ bytes: [UInt8], volumeIdentifier: [UInt8], key: borrowing SecretKey
    ) throws(CryptographyError) -> MarkerRecord? {
        guard bytes.count == byteCount, bytes.field(0..<8) == magic,
            bytes.field(16..<32) == volumeIdentifier, bytes.isZero(in: 12..<16)
        else { return nil }
        let message = FormatLabel.bytes("marker") + bytes.field(0..<48)
        guard try HMACSHA256.verify(bytes.field(48..<80).span, of: message.span, key: key) else {
            return nil
        }
        let state: UInt32 = bytes.integer(at: 8)
        guard state == 1 || state == 2 else { return nil }
        return MarkerRecord(
            isClean: state == 1, volumeIdentifier: volumeIdentifier,
            session: bytes.integer(at: 32), time: bytes.integer(at: 40))
    }
}
