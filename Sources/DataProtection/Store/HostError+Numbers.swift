/// The error numbers that code above the stores tells apart, for files that do not import Glibc.
///
/// The values are those of Linux on x86-64 and AArch64.
extension HostError {
    /// The operation is not permitted: `EPERM`.
    package static let notPermitted: Int32 = 1
    /// There is no such entry: `ENOENT`.
    package static let noSuchEntry: Int32 = 2
    /// A signal came first: `EINTR`.
    package static let interrupted: Int32 = 4
    /// The device failed: `EIO`.
    package static let inputOutput: Int32 = 5
    /// The value is longer than the host's 65,536 bytes: `E2BIG`.
    package static let tooBig: Int32 = 7
    /// The descriptor is closed, or not open for this: `EBADF`.
    package static let badDescriptor: Int32 = 9
    /// There is nothing more behind an offset, or what should be opened is no file: `ENXIO`.
    package static let noSuchDeviceOrAddress: Int32 = 6
    /// The permission bits refuse it: `EACCES`.
    package static let accessDenied: Int32 = 13
    /// The name is taken: `EEXIST`.
    package static let entryExists: Int32 = 17
    /// The two entries are on different file systems: `EXDEV`.
    package static let crossDevice: Int32 = 18
    /// It is not a folder: `ENOTDIR`.
    package static let notFolder: Int32 = 20
    /// It is a folder: `EISDIR`.
    package static let isFolder: Int32 = 21
    /// An argument makes no sense here: `EINVAL`.
    package static let invalidArgument: Int32 = 22
    /// This process has too many descriptors open: `EMFILE`.
    package static let tooManyDescriptors: Int32 = 24
    /// The file would become too large: `EFBIG`.
    package static let fileTooLarge: Int32 = 27
    /// The disk is full: `ENOSPC`.
    package static let noSpace: Int32 = 28
    /// The file system is read-only: `EROFS`.
    package static let readOnly: Int32 = 30
    /// The file has as many names as the host allows: `EMLINK`.
    package static let tooManyLinks: Int32 = 31
    /// The attribute's name is empty or too long: `ERANGE`.
    package static let outOfRange: Int32 = 34
    /// It would have to wait, or somebody else owns it: `EWOULDBLOCK`, also called `EAGAIN`.
    package static let wouldBlock: Int32 = 11
    /// The name is longer than the host's 255 bytes: `ENAMETOOLONG`.
    package static let nameTooLong: Int32 = 36
    /// The folder is not empty: `ENOTEMPTY`.
    package static let notEmpty: Int32 = 39
    /// A symbolic link stands where none may: `ELOOP`.
    package static let symbolicLink: Int32 = 40
    /// The attribute is not set: `ENODATA`.
    package static let noSuchAttribute: Int32 = 61
    /// The host file system cannot do this: `EOPNOTSUPP`.
    package static let notSupported: Int32 = 95
    /// The user's share of the disk is used up: `EDQUOT`.
    package static let quotaExceeded: Int32 = 122

    /// Whether it says that the name has no regular file, and not that the host refuses one.
    package var tellsOfNoFile: Bool {
        [Self.noSuchEntry, Self.symbolicLink, Self.isFolder, Self.invalidArgument].contains(code)
    }
}
