/// How `BackingFolder.rename` treats a name that exists.
package enum HostRenameRule: Sendable {
    /// The existing entry is replaced.
    case replace
    /// The call fails with `EEXIST`.
    case exclusive
    /// The two entries change places; both must exist.
    case exchange
}

/// One folder of a backing store, held open.
///
/// Names are host names: reserved ones, or base64url. Nothing follows a symbolic link. A name that
/// is empty, `.` or `..`, or has a slash or a zero byte in it, is `EINVAL`; one of more than 255
/// bytes is `ENAMETOOLONG`.
package protocol BackingFolder: AnyObject, Sendable {
    /// The folder's own attributes.
    func attributes() throws(HostError) -> HostAttributes

    /// The attributes of an entry; of the link itself for a symbolic link.
    func attributes(of name: String) throws(HostError) -> HostAttributes

    /// All entries but `.` and `..`, in no particular order.
    func list() throws(HostError) -> [HostEntry]

    /// Opens an existing regular file for reading and writing, or for reading alone.
    ///
    /// Reading it does not change its access time where the host lets this process choose that. A
    /// device is opened before it is refused, so the kind is to be asked for first.
    ///
    /// - Throws: `ENOENT`; `ELOOP` for a symbolic link; `EISDIR` for a folder; `EINVAL` for what is
    ///   neither a file nor these.
    func openFile(_ name: String, writable: Bool) throws(HostError) -> any BackingFile

    /// Creates a new regular file, open for reading and writing.
    ///
    /// - Parameter mode: permission bits, exactly as given (no umask).
    /// - Throws: `EEXIST` when the name is taken.
    func createFile(_ name: String, mode: UInt32) throws(HostError) -> any BackingFile

    /// Opens an existing folder. Throws `ENOTDIR` for anything else.
    func openFolder(_ name: String) throws(HostError) -> any BackingFolder

    /// Creates an empty folder with these permission bits (no umask).
    func makeFolder(_ name: String, mode: UInt32) throws(HostError)

    /// Creates a fifo, a socket or a device. The corresponding C function is `mknodat`.
    ///
    /// - Parameters:
    ///   - kind: any but a regular file, a folder and a symbolic link, which are `EINVAL`.
    ///   - mode: permission bits, exactly as given (no umask).
    ///   - device: for a device, its number as `dev_t` has it; else 0.
    /// - Throws: `EEXIST`; `EPERM` for a device without the right to make one.
    func makeNode(
        _ name: String, kind: HostKind, mode: UInt32, device: UInt64
    ) throws(HostError)

    /// Gives an entry of this folder that is not a folder another name, also in another folder of
    /// the same store. The corresponding C function is `linkat`; a symbolic link is not followed.
    ///
    /// - Parameters:
    ///   - name: the entry's name in this folder.
    ///   - folder: where the new name is made.
    ///   - newName: the new name.
    /// - Throws: `EEXIST`; `EPERM` for a folder; `EMLINK`; `EXDEV` for a folder of another store.
    func makeLink(
        of name: String, in folder: any BackingFolder, as newName: String
    ) throws(HostError)

    /// Creates a symbolic link.
    func makeSymlink(_ name: String, target: String) throws(HostError)

    /// The target of a symbolic link; the host may note it as an access. Throws `EINVAL` for
    /// anything else.
    func readSymlink(_ name: String) throws(HostError) -> String

    /// Removes an entry that is not a folder.
    func removeFile(_ name: String) throws(HostError)

    /// Removes an empty folder.
    func removeFolder(_ name: String) throws(HostError)

    /// Renames an entry, also into another folder of the same store.
    func rename(
        _ name: String, to folder: any BackingFolder, as newName: String, rule: HostRenameRule
    ) throws(HostError)

    /// Changes attributes of an entry; of the link itself for a symbolic link. No node is opened.
    ///
    /// The order is owner and group, mode, times; when one fails, those before it are changed. A
    /// change of nothing does nothing, whether or not there is such an entry.
    ///
    /// - Parameter name: `nil` stands for the folder itself.
    /// - Throws: `EOPNOTSUPP` for the mode of a symbolic link; `EPERM`; `EINVAL` for nanoseconds
    ///   out of range, before anything is changed.
    func setAttributes(_ change: HostAttributeChange, of name: String?) throws(HostError)

    /// The folder's own `user.*` attributes.
    var userAttributes: any BackingAttributes { get }

    /// Makes the folder's entries durable.
    func sync() throws(HostError)
}
