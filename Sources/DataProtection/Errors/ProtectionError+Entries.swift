// The sentences about links, attributes and other things that an entry can be; see the catalogue.

extension ProtectionError {
    /// A folder cannot be below itself.
    package static var movedIntoItself: ProtectionError {
        invalidArgument("a folder cannot be moved into itself, or change places with what is in it")
    }

    /// A folder cannot have a second name.
    package static var folderLink: ProtectionError {
        // Linux says EPERM to link(2) of a folder.
        ProtectionError(
            .isFolder, "a folder cannot have a second name", remedy: "make a symbolic link",
            errorNumber: 1)
    }

    /// Links, fifos and devices have no class, and a file is never without one.
    package static var classlessThing: ProtectionError {
        invalidArgument("only files and folders have a class, and a file always has one")
    }

    /// A link stands where a file or folder was expected, and is not to be followed.
    package static var symbolicLink: ProtectionError {
        ProtectionError(.symbolicLink, "it is a symbolic link")
    }

    /// Symbolic links that lead to each other.
    package static var tooManyLinks: ProtectionError {
        ProtectionError(
            .symbolicLink, "more than 40 symbolic links are on the way: they lead in a circle",
            remedy: "look at where they lead")
    }

    /// A symbolic link of the host that is none of the volume's.
    package static var damagedLink: ProtectionError {
        damaged("the target of the symbolic link is damaged", remedy: "remove it and make it anew")
    }

    /// A target that a link cannot hold.
    package static func unusableTarget(byteCount: Int) -> ProtectionError {
        ProtectionError(
            .invalidName, "a link cannot lead there: the target has \(byteCount) bytes, or a NUL",
            remedy: "a target has 1 to 3031 bytes", errorNumber: byteCount == 0 ? 2 : 36)
    }

    /// The attribute is not set.
    package static var noAttribute: ProtectionError {
        ProtectionError(.noAttribute, "no such attribute")
    }

    /// A name that no attribute can have.
    package static func unusableAttributeName(byteCount: Int) -> ProtectionError {
        ProtectionError(
            .invalidName, "no attribute can have this name: it has \(byteCount) bytes, or a NUL",
            remedy: "a name has 1 to 171 bytes after user.", errorNumber: 34)  // ERANGE
    }

    /// Attributes are for files and folders.
    package static var noAttributesHere: ProtectionError {
        // Linux says EPERM to setxattr(2) of a link or a device; see 'man 7 xattr'.
        ProtectionError(
            .notSupported, "only files and folders can have user attributes", errorNumber: 1)
    }

    /// A fifo, socket or device: what goes through it is not the volume's.
    package static var notAFile: ProtectionError {
        ProtectionError(
            .notSupported, "a fifo, a socket or a device cannot be opened through the volume",
            remedy: "open it through a mount", errorNumber: 6)  // ENXIO
    }

    /// The logical mode says no.
    package static var modeForbids: ProtectionError {
        ProtectionError(
            .forbidden, "its mode does not allow it", remedy: "change the mode (chmod)")
    }
}
