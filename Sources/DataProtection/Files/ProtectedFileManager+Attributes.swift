public import FoundationEssentials

extension ProtectedFileManager {
    /// What is known of a file or folder. Allowed in every lock state.
    ///
    /// A symbolic link is not followed. `.protectionKey` is a file's class, or what a folder gives
    /// to new children, if it has a class of its own. There is no `.creationDate`, since none is
    /// kept, and no names of owners. Numbers are `NSNumber` where the program has Foundation, else
    /// `Int`.
    ///
    /// - Returns: `.type`, `.size`, `.posixPermissions`, `.ownerAccountID`, `.groupOwnerAccountID`,
    ///   `.referenceCount`, `.modificationDate`, `.systemFileNumber`, and where there is one
    ///   `.protectionKey` or `.deviceIdentifier`.
    /// - Throws: `CocoaError` 260 when it is missing, 259 when it is damaged.
    public func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] {
        try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            let found = try items.attributes(of: path)
            // Size and class of something damaged would be made up.
            if let damage = found.damage { throw ProtectionError.damaged(damage).at(path) }
            return found.dictionary
        }
    }

    /// Sets attributes. The class of a folder is that of its new children, and can be set in every
    /// lock state; so can everything that is no class.
    ///
    /// A symbolic link is followed. Foundation passes over what it cannot set, and on Linux over
    /// every class; here nothing is passed over but what only informs (`.type`, `.size` and the
    /// like).
    ///
    /// - Parameters:
    ///   - attributes: `.protectionKey`, `.posixPermissions`, `.modificationDate`,
    ///     `.ownerAccountID`, `.groupOwnerAccountID`.
    ///   - path: the file or folder.
    /// - Throws: `CocoaError` 513 over `EPERM` when the present class cannot be opened, or the new
    ///   one not be made, in this lock state: nothing has changed then. Foundation reports a
    ///   reading error, 257; changing something is writing. 4 when it is missing, 3328 for an
    ///   attribute that a volume does not keep.
    public func setAttributes(
        _ attributes: [FileAttributeKey: Any], ofItemAtPath path: String
    ) throws {
        try perform(.writing, at: .path(path)) { path throws(ProtectionError) in
            let wanted = try RequestedAttributes(attributes)
            if let protectionClass = wanted.protectionClass {
                try items.setProtectionClass(protectionClass, of: path)
            }
            if wanted.change != AttributeChange() {
                try items.setAttributes(wanted.change, of: path)
            }
        }
    }

    /// How full the volume's host is: `.systemSize`, `.systemFreeSize`, `.systemNodes`,
    /// `.systemFreeNodes`.
    ///
    /// - Parameter path: anything in the volume.
    /// - Throws: `CocoaError` 260 when it is missing.
    public func attributesOfFileSystem(forPath path: String) throws -> [FileAttributeKey: Any] {
        try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            _ = try items.attributes(of: path)
            let space = try items.space()
            return [
                .systemSize: FileNumber.any(space.blockCount * space.blockByteCount),
                .systemFreeSize: FileNumber.any(space.availableBlockCount * space.blockByteCount),
                .systemNodes: FileNumber.any(space.inodeCount),
                .systemFreeNodes: FileNumber.any(space.freeInodeCount),
            ]
        }
    }

    /// Whether there is a file or folder, sealed or not; a symbolic link is followed.
    ///
    /// Foundation answers `false` whatever went wrong; this throws when nobody can tell, as in a
    /// volume with private names before its first unlock. There is no `isReadableFile` and the
    /// like: the answer could be wrong a moment later. Open the file, and look at `isLocked`.
    public func fileExists(atPath path: String) throws -> Bool {
        try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            try items.hasItem(path, followingLinks: true)
        }
    }

    /// Whether there is a file or folder, and which.
    ///
    /// - Parameters:
    ///   - path: what is looked for.
    ///   - isDirectory: tells whether it is a folder; `false` when there is nothing.
    public func fileExists(atPath path: String, isDirectory: inout Bool) throws -> Bool {
        isDirectory = false
        let kind = try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            try items.hasItem(path, followingLinks: true)
                ? items.attributes(of: path, followingLinks: true).kind : nil
        }
        isDirectory = kind == .folder
        return kind != nil
    }
}

extension ItemAttributes {
    fileprivate var dictionary: [FileAttributeKey: Any] {
        var found: [FileAttributeKey: Any] = [
            .type: kind.attributeType,
            .size: FileNumber.any(size),
            .posixPermissions: FileNumber.any(mode),
            .ownerAccountID: FileNumber.any(owner),
            .groupOwnerAccountID: FileNumber.any(group),
            .referenceCount: FileNumber.any(linkCount),
            .modificationDate: modificationTime.date,
            .systemFileNumber: FileNumber.any(identity),
        ]
        if let protectionClass { found[.protectionKey] = protectionClass.fileProtectionType }
        if kind == .characterDevice || kind == .blockDevice {
            found[.deviceIdentifier] = FileNumber.any(deviceNumber)
        }
        return found
    }
}

extension ItemKind {
    fileprivate var attributeType: FileAttributeType {
        switch self {
        case .file: .typeRegular
        case .folder: .typeDirectory
        case .symlink: .typeSymbolicLink
        case .socket: .typeSocket
        case .characterDevice: .typeCharacterSpecial
        case .blockDevice: .typeBlockSpecial
        case .fifo: .typeUnknown
        }
    }
}

/// Numbers in a dictionary of attributes.
private enum FileNumber {
    /// A number that can be cast to every type, as those of Foundation can.
    ///
    /// That is what `NSNumber` is for, which this module cannot name without making every program
    /// load all of Foundation; where Foundation is loaded the type is there to be found.
    static func any(_ number: some BinaryInteger) -> Any {
        guard
            let type = _typeByName("Foundation.NSNumber") as? any ExpressibleByIntegerLiteral.Type,
            let value = Int(exactly: number)
        else { return number }
        return make(type, value) ?? value
    }

    private static func make<Number: ExpressibleByIntegerLiteral>(
        _ type: Number.Type, _ value: Int
    ) -> Any? {
        (value as? Number.IntegerLiteralType).map { type.init(integerLiteral: $0) }
    }
}
