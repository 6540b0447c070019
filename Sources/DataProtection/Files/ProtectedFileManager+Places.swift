public import FoundationEssentials

/// Where things are in a volume, as in an app's container.
enum StandardPlace {
    static let documents = "Documents"
    static let library = "Library"
    static let applicationSupport = "Library/Application Support"
    static let caches = "Library/Caches"
    /// One folder for each app group.
    static let groups = "Groups"

    /// The path of one of Foundation's directories; `nil` for what a volume does not have.
    static func path(of directory: FileManager.SearchPathDirectory) -> String? {
        switch directory {
        case .documentDirectory: documents
        case .libraryDirectory: library
        case .applicationSupportDirectory: applicationSupport
        case .cachesDirectory: caches
        default: nil
        }
    }
}

extension ProtectedFileManager {
    /// The URLs of a standard folder inside the volume: Documents, Library, Application Support or
    /// Caches. It is made if it is missing, as those of an app's container are there.
    ///
    /// - Parameters:
    ///   - directory: which one.
    ///   - domain: must contain `.userDomainMask`.
    /// - Returns: one URL; none for another directory or domain.
    public func urls(
        for directory: FileManager.SearchPathDirectory, in domain: FileManager.SearchPathDomainMask
    ) -> [URL] {
        guard domain.contains(.userDomainMask), let path = StandardPlace.path(of: directory) else {
            return []
        }
        return [standardFolder(path)]
    }

    /// The URL of a standard folder inside the volume.
    ///
    /// - Parameters:
    ///   - directory: Documents, Library, Application Support or Caches; or
    ///     `.itemReplacementDirectory` for a new folder below the temporary one, whose new files
    ///     get the class of the item.
    ///   - domain: must contain `.userDomainMask`.
    ///   - item: what will be replaced; for `.itemReplacementDirectory`.
    ///   - shouldCreate: whether the folder is made if it is missing.
    /// - Throws: `CocoaError` 256 for another directory or domain, and when the folder cannot be
    ///   made.
    public func url(
        for directory: FileManager.SearchPathDirectory, in domain: FileManager.SearchPathDomainMask,
        appropriateFor item: URL?, create shouldCreate: Bool
    ) throws -> URL {
        try perform(.reading, at: item.map { .url($0) } ?? .url(rootURL)) {
            path throws(ProtectionError) in
            if directory == .itemReplacementDirectory, item != nil {
                let folder = try items.makeTemporaryFolder(
                    class: try items.attributes(of: path).protectionClass)
                return url(folder, isFolder: true)
            }
            guard domain.contains(.userDomainMask), let path = StandardPlace.path(of: directory)
            else { throw .noSuchPlace }
            if shouldCreate { try makeFolder(path, true) }
            return url(path, isFolder: true)
        }
    }

    /// The folder that the programs of an app group share. It is made if it is missing.
    ///
    /// - Parameter groupIdentifier: the group, for instance `group.org.example.notes`.
    /// - Returns: `nil` for what cannot be a folder's name.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL?
    {
        guard EntryName.fault(of: Array(groupIdentifier.utf8)) == nil else { return nil }
        return standardFolder(StandardPlace.groups + "/" + groupIdentifier)
    }

    /// The volume's folder for temporary files. It is made if it is missing. What a program puts
    /// there stays until it is removed; see `temporaryFile(like:)` for what does not.
    public var temporaryDirectory: URL { standardFolder(ProtectedVolume.temporaryFolder) }

    /// A folder that cannot be made now cannot be used either, and using it says why.
    private func standardFolder(_ path: String) -> URL {
        try? makeFolder(path, true)
        return url(path, isFolder: true)
    }

    /// Makes a temporary file with the class of another file, open for reading and writing: for a
    /// copy that is to be shown, a preview, an export.
    ///
    /// It is in the volume, never in the host's folder for temporary files. Remove it when it is
    /// not needed any more; what is left of it is removed when the volume is next opened, in every
    /// lock state, or at the first unlock when names are private.
    ///
    /// - Parameter url: the file whose class it gets; for a folder, the class that new files in it
    ///   get. Its name's extension is taken over, if it leaves room for a name.
    /// - Returns: the handle; its `url` names the file.
    /// - Throws: `CocoaError` 260 when the file is missing, 513 over `EPERM` when its class cannot
    ///   be made in this lock state, 259 when it is damaged.
    public func temporaryFile(like url: URL) throws -> ProtectedFileHandle {
        let model = try perform(.reading, at: .url(url)) { path throws(ProtectionError) in
            let found = try items.attributes(of: path, followingLinks: true)
            if let damage = found.damage { throw ProtectionError.damaged(damage).at(path) }
            return found.protectionClass ?? items.newFileClass
        }
        return try perform(.writing, at: .url(url)) { _ throws(ProtectionError) in
            let path = try items.temporaryPath(extension: url.pathExtension)
            return ProtectedFileHandle(
                try makeFile(path, model), url: self.url(path, isFolder: false), in: self)
        }
    }
}
