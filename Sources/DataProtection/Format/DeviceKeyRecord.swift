private import Cryptography

/// The device key file as stored (docs/format.md 4).
package enum DeviceKeyRecord {
    /// The length of the file, in bytes.
    package static let byteCount = 64

    private static let magic = Array("SDPDEVK1".utf8)

    /// The file's bytes; the caller wipes them.
    package static func bytes(identifier: [UInt8], key: [UInt8]) -> [UInt8] {
        var bytes = magic
        bytes.reserveCapacity(byteCount)
        bytes.append(contentsOf: identifier)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: SHA256.hash(bytes.span).prefix(8))
        return bytes
    }

    /// Whether the bytes are a device key file; then the identifier is at 8 and the key at 24.
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.count == byteCount && bytes.field(0..<8) == magic
            && bytes.field(56..<64) == Array(SHA256.hash(bytes.field(0..<56).span).prefix(8))
    }
}
