/// What a secret's file holds before its value (docs/format.md 13).
///
/// It is the plaintext of a file, so it is authenticated as every file's content is. The key is
/// repeated here, so that files which somebody exchanged under their names are found out.
package struct SecretRecord: Hashable, Sendable {
    /// When it is sealed, and to what it is bound.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// It goes when the passcode is removed.
        package static let needsPasscode = Flags(rawValue: 1)
        /// Its value is sealed once more, under the device key.
        package static let thisDeviceOnly = Flags(rawValue: 2)
        /// All that are known.
        package static let all: Flags = [.needsPasscode, .thisDeviceOnly]
    }

    /// What it is asked for by, UTF-8.
    package var key: [UInt8]
    /// How it is kept.
    package var flags: Flags
    /// The value, or the sealed value.
    package var value: [UInt8]

    /// The length of what comes before the key, in bytes.
    package static let fixedByteCount = 16

    private static let magic = Array("SDPSECR".utf8)
    private static let version: UInt8 = 1

    /// Describes a secret.
    package init(key: [UInt8], flags: Flags, value: [UInt8]) {
        self.key = key
        self.flags = flags
        self.value = value
    }

    /// The record as stored.
    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(Self.version)
        bytes.append(flags.rawValue)
        bytes.appendZeros(1)
        bytes.append(littleEndian: UInt16(key.count))
        bytes.append(littleEndian: UInt32(value.count))
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        return bytes
    }

    /// Reads a whole file, or tells why it is no secret.
    package static func read(_ bytes: [UInt8]) throws(FormatError) -> SecretRecord {
        guard bytes.count >= fixedByteCount, bytes.field(0..<7) == magic else {
            throw .damaged("no secret")
        }
        guard bytes[7] == version else { throw .newerVersion(UInt32(bytes[7])) }
        let flags = Flags(rawValue: bytes[8])
        let keyByteCount = Int(bytes.integer(at: 10, as: UInt16.self))
        let valueByteCount = Int(bytes.integer(at: 12, as: UInt32.self))
        let valueStart = fixedByteCount + keyByteCount
        guard flags.isSubset(of: .all), bytes[9] == 0,
            bytes.count == valueStart + valueByteCount
        else { throw .damaged("a secret whose lengths do not agree") }
        return SecretRecord(
            key: bytes.field(fixedByteCount..<valueStart), flags: flags,
            value: bytes.field(valueStart..<bytes.count))
    }

    // MARK: - The name and the attribute of its file

    /// The attribute that tells a secret's flags while it is sealed.
    package static let attributeName = "dataprotection.secret"

    /// The attribute's value.
    package static func attributeValue(_ flags: Flags) -> [UInt8] { [version, flags.rawValue] }

    /// The flags that an attribute tells; `nil` for none that is known.
    package static func flags(inAttribute value: [UInt8]?) -> Flags? {
        guard let value, value.count == 2, value[0] == version else { return nil }
        let flags = Flags(rawValue: value[1])
        return flags.isSubset(of: .all) ? flags : nil
    }

    /// The longest key, in bytes: its coded form is a file's name.
    package static let keyByteCountMaximum = 180

    /// The name of the file.
    package static func fileName(of key: [UInt8]) -> String { Base64URL.encode(key) }

    /// The key behind a file's name; `nil` for a file that is no secret.
    package static func key(ofFileName name: String) -> String? {
        guard let bytes = Base64URL.decode(name), (1...keyByteCountMaximum).contains(bytes.count),
            fileName(of: bytes) == name
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
