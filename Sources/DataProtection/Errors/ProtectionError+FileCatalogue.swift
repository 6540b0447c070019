// The catalogue's part for the Foundation-shaped calls.

extension ProtectionError {
    /// A path that is none of the volume's.
    package static func outside(_ root: String) -> ProtectionError {
        ProtectionError(
            .invalidName, "the path leads out of the volume",
            remedy: "the volume's files are below \(root), or have relative paths")
    }

    /// Options that name two classes.
    package static func twoClasses(
        _ one: ProtectionClass, _ other: ProtectionClass
    ) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "two protection classes at once: \(one.name) and \(other.name)",
            remedy: "name one")
    }

    /// A value that is none of the four classes.
    package static func unknownClass(_ value: String) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "\(value) is none of the four protection classes",
            remedy: "name one of them; two that are joined are none either")
    }

    /// The top folder cannot be removed, moved or replaced.
    package static var topFolderStays: ProtectionError { invalidArgument("the top folder stays") }

    /// A file attribute whose value cannot be used.
    package static func unusableAttribute(_ key: String) -> ProtectionError {
        invalidArgument("the value of \(key) has a wrong type, or is out of its range")
    }

    /// A file attribute that a volume does not keep.
    package static func unsupportedAttribute(_ key: String) -> ProtectionError {
        ProtectionError(.notSupported, "a volume does not keep \(key)", remedy: "leave it out")
    }

    /// An option that an enumeration does not have.
    package static var unsupportedEnumeration: ProtectionError {
        ProtectionError(
            .notSupported, "an enumeration can skip hidden files and subfolders, and nothing else",
            remedy: "leave the other options out")
    }

    /// A standard folder that is none of a volume's.
    package static var noSuchPlace: ProtectionError {
        invalidArgument(
            "a volume has no such folder",
            remedy: "ask for Documents, Library, Application Support or Caches of the user")
    }

    /// A copy would be in what is copied.
    package static var copiedIntoItself: ProtectionError {
        invalidArgument("a folder cannot be copied into itself")
    }
}
