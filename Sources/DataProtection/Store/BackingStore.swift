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

    /// How full the host is. The corresponding C function is `fstatvfs`.
    func space() throws(HostError) -> HostSpace
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

/// How full a host file system is. See: 'man 3 fstatvfs'.
package struct HostSpace: Sendable, Equatable {
    /// The unit of the block counts, in bytes.
    package var blockByteCount: Int64
    /// How many blocks there are.
    package var blockCount: Int64
    /// How many are free.
    package var freeBlockCount: Int64
    /// How many of them an ordinary user may fill.
    package var availableBlockCount: Int64
    /// How many inodes there can be; 0 when the host does not count them.
    package var inodeCount: Int64
    /// How many are free.
    package var freeInodeCount: Int64

    /// Describes a host's space.
    package init(
        blockByteCount: Int64, blockCount: Int64, freeBlockCount: Int64,
        availableBlockCount: Int64, inodeCount: Int64, freeInodeCount: Int64
    ) {
        self.blockByteCount = blockByteCount
        self.blockCount = blockCount
        self.freeBlockCount = freeBlockCount
        self.availableBlockCount = availableBlockCount
        self.inodeCount = inodeCount
        self.freeInodeCount = freeInodeCount
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

    /// Gives an entry that is not a folder another name, also in another folder of the same store.
    /// The corresponding C function is `linkat`; a symbolic link is not followed.
    ///
    /// - Throws: `EEXIST`; `EPERM` for a folder; `EMLINK`.
    func makeLink(
        of name: String, in folder: any BackingFolder, as newName: String
    ) throws(HostError)

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

    /// Changes attributes of an entry; of the link itself for a symbolic link.
    ///
    /// - Parameter name: `nil` stands for the folder itself.
    /// - Throws: `EOPNOTSUPP` for the mode of a symbolic link; `EPERM`.
    func setAttributes(_ change: HostAttributeChange, of name: String?) throws(HostError)

    /// The folder's own `user.*` attributes.
    var userAttributes: any BackingAttributes { get }

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

    /// Where the next hole begins, as far as the host tells; the file's end counts as one.
    ///
    /// - Parameter offset: where to look from, in bytes, inside the file.
    /// - Returns: `nil` if the host cannot tell.
    func nextHole(from offset: Int64) throws(HostError) -> Int64?

    /// Makes a hole; the size stays. The corresponding C function is `fallocate` with
    /// `FALLOC_FL_PUNCH_HOLE` and `FALLOC_FL_KEEP_SIZE`.
    ///
    /// - Parameter range: multiples of 4096.
    /// - Throws: `EOPNOTSUPP` when the host cannot.
    func punchHole(_ range: Range<Int64>) throws(HostError)

    /// Sets space aside, also behind the end; size and content stay. The corresponding C function
    /// is `fallocate` with `FALLOC_FL_KEEP_SIZE`.
    ///
    /// - Throws: `ENOSPC`; `EOPNOTSUPP` when the host cannot.
    func allocate(_ range: Range<Int64>) throws(HostError)

    /// Changes the file's attributes, also after its last name is gone.
    func setAttributes(_ change: HostAttributeChange) throws(HostError)

    /// The file's `user.*` attributes.
    var userAttributes: any BackingAttributes { get }

    /// Cuts or extends the file. The corresponding C function is `ftruncate`.
    func truncate(to byteCount: Int64) throws(HostError)

    /// Makes the file's content durable, and with `everything` its other attributes too.
    func sync(everything: Bool) throws(HostError)
}

/// The `user.*` attributes of one file or folder. See: 'man 7 xattr'.
///
/// A name is always whole, with `user.` before it.
package protocol BackingAttributes: Sendable {
    /// The names of all that are set; empty when the host has none.
    func names() throws(HostError) -> [String]

    /// The value; `nil` when it is not set or the host has none.
    func value(of name: String) throws(HostError) -> [UInt8]?

    /// Sets a value.
    ///
    /// - Throws: `EOPNOTSUPP` when the host has none; `EEXIST` or `ENODATA` as the rule says;
    ///   `ENOSPC`, `E2BIG` for what the host cannot hold.
    func set(
        _ name: String, to value: [UInt8], rule: HostAttributeRule
    ) throws(HostError)

    /// Takes an attribute away.
    ///
    /// - Throws: `ENODATA` when it is not set.
    func remove(_ name: String) throws(HostError)
}

/// How `BackingAttributes.set` treats an attribute that is set, or is not.
package enum HostAttributeRule: Sendable {
    /// It is made or replaced.
    case set
    /// The call fails with `EEXIST` if it is set.
    case create
    /// The call fails with `ENODATA` if it is not.
    case replace
}

extension BackingFile {
    /// A host that does not tell may have data everywhere.
    package func nextData(from offset: Int64) throws(HostError) -> Int64? { offset }
}
