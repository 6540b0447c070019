package import Cryptography

extension FileHeader {
    private var identifiers: [UInt8] { volumeIdentifier + fileIdentifier }

    private static func flagsKey(
        fileKey: borrowing SecretKey, volumeIdentifier: [UInt8]
    ) throws(CryptographyError) -> SecretKey {
        try HKDF.deriveKey(
            from: fileKey, salt: volumeIdentifier, info: FormatLabel.bytes("file flags"))
    }

    /// Authenticates the flags as they stand.
    package mutating func signFlags(fileKey: borrowing SecretKey) throws(CryptographyError) {
        let key = try Self.flagsKey(fileKey: fileKey, volumeIdentifier: volumeIdentifier)
        let message = FormatLabel.bytes("file flags") + identifiers + flagsField
        flagsCode = Array(try HMACSHA256.authenticate(message.span, key: key).prefix(16))
    }

    /// Whether the flags are those that a holder of the file key wrote.
    package func verifiesFlags(fileKey: borrowing SecretKey) throws(CryptographyError) -> Bool {
        let key = try Self.flagsKey(fileKey: fileKey, volumeIdentifier: volumeIdentifier)
        let message = FormatLabel.bytes("file flags") + identifiers + flagsField
        return try HMACSHA256.verify(flagsCode.span, of: message.span, key: key)
    }

    /// Authenticates the kept mode as it stands.
    package mutating func signMode(key: borrowing SecretKey) throws(CryptographyError) {
        let message = FormatLabel.bytes("file mode") + identifiers + modeField
        modeCode = Array(try HMACSHA256.authenticate(message.span, key: key).prefix(16))
    }

    /// Whether the kept mode is one that this volume wrote for this file.
    package func verifiesMode(key: borrowing SecretKey) throws(CryptographyError) -> Bool {
        let message = FormatLabel.bytes("file mode") + identifiers + modeField
        return try HMACSHA256.verify(modeCode.span, of: message.span, key: key)
    }

    /// What the wrap of the file key is bound to.
    package var wrapContext: [UInt8] { FormatLabel.bytes("file key") + boundBytes }
}
