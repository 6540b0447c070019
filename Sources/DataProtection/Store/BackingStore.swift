/// Where a volume's host files live: a folder of the host, or memory.
///
/// This is the seam where tests cut the power, fill the disk and count calls. Everything above it
/// sees host files that hold only ciphertext; nothing above it makes a system call.
package protocol BackingStore: AnyObject, Sendable {
    /// The volume's top folder.
    var root: any BackingFolder { get }

    /// Takes the volume for this process, until `releaseOwnership()` or the process's end.
    ///
    /// - Throws: `EWOULDBLOCK` when another process or another store of this one owns it, and when
    ///   it was taken through this store already.
    func acquireOwnership() throws(HostError)

    /// Gives up what `acquireOwnership()` took; does nothing when it was not taken.
    func releaseOwnership()

    /// Makes everything written so far durable. The corresponding C function is `syncfs`.
    func syncAll() throws(HostError)

    /// What the host can do.
    func capabilities() throws(HostError) -> HostCapabilities
}

/// What a host file system offers, as far as the volume's promises depend on it.
package struct HostCapabilities: Sendable, Equatable {
    /// The unit in which the host allocates and writes, in bytes. Pages need at least 4096.
    package var blockByteCount: Int
    /// Whether files can carry `user.*` attributes.
    package var hasAttributes: Bool

    /// Describes a host.
    package init(blockByteCount: Int, hasAttributes: Bool) {
        self.blockByteCount = blockByteCount
        self.hasAttributes = hasAttributes
    }
}

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

    /// Creates a symbolic link.
    func makeSymlink(_ name: String, target: String) throws(HostError)

    /// The target of a symbolic link. Throws `EINVAL` for anything else.
    func readSymlink(_ name: String) throws(HostError) -> String

    /// Removes an entry that is not a folder.
    func removeFile(_ name: String) throws(HostError)

    /// Removes an empty folder.
    func removeFolder(_ name: String) throws(HostError)

    /// Renames an entry, also into another folder of the same store.
    func rename(
        _ name: String, to folder: any BackingFolder, as newName: String, rule: HostRenameRule
    ) throws(HostError)

    /// Changes an entry's permission bits.
    func setMode(_ mode: UInt32, of name: String) throws(HostError)

    /// Makes the folder's entries durable.
    func sync() throws(HostError)
}

/// One regular file of a backing store, held open.
package protocol BackingFile: AnyObject, Sendable {
    /// The file's attributes, also after its last name is gone.
    func attributes() throws(HostError) -> HostAttributes

    /// Reads until `bytes` is full or the file ends; holes read as zeros.
    ///
    /// - Parameter offset: where to begin, in bytes.
    /// - Returns: how many bytes were read.
    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(HostError) -> Int

    /// Where the next data begins, as far as the host tells: a hole may be passed over.
    ///
    /// - Parameter offset: where to look from, in bytes.
    /// - Returns: `offset` itself if there may be data; `nil` if there is none any more.
    func nextData(from offset: Int64) throws(HostError) -> Int64?

    /// Writes all of `bytes`, growing the file where needed.
    ///
    /// - Throws: `ENOSPC` when the disk is full; a first part of `bytes` may be written then.
    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(HostError)

    /// Cuts or extends the file. The corresponding C function is `ftruncate`.
    func truncate(to byteCount: Int64) throws(HostError)

    /// Makes the file's content durable, and with `everything` its other attributes too.
    func sync(everything: Bool) throws(HostError)

    /// The value of a `user.*` attribute; `nil` when it is not set or the host has none.
    ///
    /// - Parameter name: the whole name, with `user.` before it.
    func attribute(_ name: String) throws(HostError) -> [UInt8]?

    /// Sets a `user.*` attribute.
    ///
    /// - Parameter name: the whole name, with `user.` before it.
    /// - Throws: `EOPNOTSUPP` when the host has none.
    func setAttribute(_ name: String, to value: [UInt8]) throws(HostError)
}

extension BackingFile {
    /// A host that does not tell may have data everywhere.
    package func nextData(from offset: Int64) throws(HostError) -> Int64? { offset }
}
