package import Cryptography

/// What a folder knows of itself (docs/format.md 7.1).
package struct FolderRecord: Hashable, Sendable {
    /// The class of new children; `nil` when none was chosen.
    package var childClass: ProtectionClass?
    /// The folder's identifier, to which the names in it are bound.
    package var identifier: [UInt8]

    private static let version: UInt8 = 1
    private static let byteCount = 34

    /// Describes a folder.
    package init(childClass: ProtectionClass?, identifier: [UInt8]) {
        self.childClass = childClass
        self.identifier = identifier
    }

    private var authenticatedBytes: [UInt8] {
        [Self.version, childClass?.rawValue ?? 0] + identifier
    }

    /// The record as stored: the target of a symbolic link.
    package func target(
        volumeIdentifier: [UInt8], key: borrowing SecretKey
    ) throws(CryptographyError) -> String {
        let bytes = authenticatedBytes
        let message = FormatLabel.bytes("folder record") + volumeIdentifier + bytes
        let code = try HMACSHA256.authenticate(message.span, key: key).prefix(16)
        return Base64URL.encode(bytes + code)
    }

    /// Reads a record.
    ///
    /// - Returns: `nil` when it is not one, or does not verify.
    package static func read(
        target: String, volumeIdentifier: [UInt8], key: borrowing SecretKey
    ) throws(CryptographyError) -> FolderRecord? {
        guard let bytes = Base64URL.decode(target), bytes.count == byteCount, bytes[0] == version,
            bytes[1] <= 4
        else { return nil }
        let message = FormatLabel.bytes("folder record") + volumeIdentifier + bytes.field(0..<18)
        guard try HMACSHA256.verify(bytes.field(18..<34).span, of: message.span, key: key) else {
            return nil
        }
        return FolderRecord(
            childClass: ProtectionClass(rawValue: bytes[1]), identifier: bytes.field(2..<18))
    }
}
