/// The words that keep one use of a key apart from another (docs/format.md 1).
package enum FormatLabel {
    /// The label of a purpose.
    package static func bytes(_ purpose: String) -> [UInt8] {
        Array("swift-data-protection/1 \(purpose)".utf8)
    }
}

/// The length of every identifier in the format, in bytes.
package let identifierByteCount = 16

/// The one format version that this code writes and reads.
package let formatVersion: UInt32 = 1

/// Something on disk that does not follow docs/format.md.
package enum FormatError: Error, Hashable, Sendable {
    /// Bytes that no correct writer makes; the text says which, for people.
    case damaged(String)
    /// A version that this code does not know.
    case newerVersion(UInt32)
}
