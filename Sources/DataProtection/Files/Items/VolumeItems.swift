/// What the Foundation-shaped calls need of a volume: one that this process has open, or one that
/// another process has mounted. Paths are names with `/` between; empty for the top folder.
protocol VolumeItems: Sendable {
    /// Opens a file, or makes one. See `ProtectedVolume.openFile(_:_:class:mode:)`.
    func open(
        _ path: String, _ options: OpenOptions, class protectionClass: ProtectionClass?,
        mode: UInt32
    ) throws(ProtectionError) -> any OpenFile

    /// Makes a file that takes the place of another when `fill` returns.
    ///
    /// - Returns: what `fill` threw, and nothing has changed; `nil` when the new file is in place.
    func replace(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32?, rule: RenameRule,
        _ fill: (any OpenFile) throws(ProtectionError) -> Void
    ) throws(ProtectionError) -> ProtectionError?

    func attributes(
        of path: String, followingLinks: Bool
    ) throws(ProtectionError) -> ItemAttributes
    func setAttributes(
        _ change: AttributeChange, of path: String, followingLinks: Bool
    ) throws(ProtectionError)
    func setProtectionClass(
        _ protectionClass: ProtectionClass?, of path: String
    ) throws(ProtectionError)
    /// Gives one item the user attributes of another, in addition to its own.
    func copyUserAttributes(of source: String, to target: String) throws(ProtectionError)
    /// The path without symbolic links.
    func resolvingLinks(_ path: String) throws(ProtectionError) -> String

    func list(_ path: String) throws(ProtectionError) -> [FolderEntry]
    func makeFolder(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32
    ) throws(ProtectionError)
    func makeSymbolicLink(_ path: String, target: String) throws(ProtectionError)
    func symbolicLinkTarget(of path: String) throws(ProtectionError) -> String
    func makeNode(
        _ path: String, _ kind: ItemKind, mode: UInt32, deviceNumber: UInt64
    ) throws(ProtectionError)
    func link(_ path: String, to newPath: String) throws(ProtectionError)
    func rename(_ path: String, to newPath: String, rule: RenameRule) throws(ProtectionError)
    func removeFile(_ path: String) throws(ProtectionError)
    func removeFolder(_ path: String) throws(ProtectionError)
    func synchronizeFolder(_ path: String) throws(ProtectionError)

    /// A new path for a temporary item, in a folder that is there.
    func temporaryPath(extension pathExtension: String) throws(ProtectionError) -> String
    func space() throws(ProtectionError) -> VolumeSpace
    /// The class of new files where no folder gives one; `nil` leaves it to the volume.
    var newFileClass: ProtectionClass? { get }
}

/// What can be left out.
extension VolumeItems {
    func open(
        _ path: String, _ options: OpenOptions, class protectionClass: ProtectionClass? = nil
    ) throws(ProtectionError) -> any OpenFile {
        try open(path, options, class: protectionClass, mode: 0o600)
    }

    func attributes(of path: String) throws(ProtectionError) -> ItemAttributes {
        try attributes(of: path, followingLinks: false)
    }

    func setAttributes(_ change: AttributeChange, of path: String) throws(ProtectionError) {
        try setAttributes(change, of: path, followingLinks: true)
    }

    func makeFolder(
        _ path: String, class protectionClass: ProtectionClass? = nil
    ) throws(ProtectionError) {
        try makeFolder(path, class: protectionClass, mode: 0o700)
    }

    func rename(_ path: String, to newPath: String) throws(ProtectionError) {
        try rename(path, to: newPath, rule: .replace)
    }

    /// Makes a temporary folder.
    ///
    /// - Parameter protectionClass: the class that its new children get.
    /// - Returns: its path.
    func makeTemporaryFolder(
        class protectionClass: ProtectionClass?
    ) throws(ProtectionError) -> String {
        let path = try temporaryPath(extension: "")
        try makeFolder(path, class: protectionClass)
        return path
    }
}
