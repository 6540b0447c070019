package import Cryptography

/// What a folder knows of itself (docs/format.md 7.1).
package struct FolderRecord: Hashable, Sendable {
    /// The class of new children; `nil` when none was chosen.
    package var childClass: ProtectionClass?
    /// The folder's identifier, to which the names in it are bound.
    package var identifier: [UInt8]
    /// The folder's permission bits, where the host's folder cannot have them because its owner
    /// must be able to work in it; `nil` when the host's are right.
    package var keptMode: UInt32?

    private static let plainByteCount = 18
    private static let codeByteCount = 16

    /// Describes a folder.
    package init(
        childClass: ProtectionClass?, identifier: [UInt8], keptMode: UInt32? = nil
    ) {
        self.childClass = childClass
        self.identifier = identifier
        self.keptMode = keptMode
    }

    /// Version 1, or version 2 with a kept mode.
    private var authenticatedBytes: [UInt8] {
        let bytes = [keptMode == nil ? 1 : 2, childClass?.rawValue ?? 0] + identifier
        guard let keptMode else { return bytes }
        return bytes + [UInt8](littleEndian: keptMode & 0o7777)
    }

    /// The record as stored: the target of a symbolic link.
    package func target(
        volumeIdentifier: [UInt8], key: borrowing SecretKey
    ) throws(CryptographyError) -> String {
        let bytes = authenticatedBytes
        let message = FormatLabel.bytes("folder record") + volumeIdentifier + bytes
        let code = try HMACSHA256.authenticate(message.span, key: key).prefix(Self.codeByteCount)
        return Base64URL.encode(bytes + code)
    }

    /// Reads a record.
    ///
    /// - Returns: `nil` when it is not one, or does not verify.
    package static func read(
        target: String, volumeIdentifier: [UInt8], key: borrowing SecretKey
    ) throws(CryptographyError) -> FolderRecord? {
        guard let bytes = Base64URL.decode(target), let version = bytes.first,
            version == 1 || version == 2
        else { return nil }
        let codeStart = version == 1 ? plainByteCount : plainByteCount + 4
        guard bytes.count == codeStart + codeByteCount, bytes[1] <= 4 else { return nil }
        let message =
            FormatLabel.bytes("folder record") + volumeIdentifier + bytes.field(0..<codeStart)
        let code = bytes.field(codeStart..<bytes.count)
        guard try HMACSHA256.verify(code.span, of: message.span, key: key) else { return nil }
        var record = FolderRecord(
            childClass: ProtectionClass(rawValue: bytes[1]), identifier: bytes.field(2..<18))
        if version == 2 {
            let mode: UInt32 = bytes.integer(at: plainByteCount)
            guard mode <= 0o7777 else { return nil }
            record.keptMode = mode
        }
        return record
    }
}
