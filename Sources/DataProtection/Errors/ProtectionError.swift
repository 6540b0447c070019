/// What went wrong, in one sentence, and what to do about it.
///
/// Catch by code: *locked* is never confused with forbidden, missing or damaged.
///
///     do {
///         try file.read(at: 0, count: 10)
///     } catch {
///         if error.code == .sealed { /* wait for the unlock */ }
///     }
public struct ProtectionError: Error, Hashable, Sendable {
    /// The kind of failure.
    public let code: Code
    /// What happened, a sentence without a final stop.
    public let message: String
    /// What the reader can do; empty when nothing can be done.
    public let remedy: String
    /// The path or file that it happened to; empty when there is none.
    public let place: String
    /// The error number a C program would see, as in `errno(3)`.
    public let errorNumber: Int32

    /// Makes an error; the sentences are in the catalogue beside this file.
    package init(
        _ code: Code, _ message: String, remedy: String = "", place: String = "",
        errorNumber: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.place = place
        self.errorNumber = errorNumber ?? code.errorNumber
    }

    /// The same error, with its place filled in when it had none.
    package func at(_ place: String) -> ProtectionError {
        guard self.place.isEmpty else { return self }
        return ProtectionError(
            code, message, remedy: remedy, place: place, errorNumber: errorNumber)
    }

    /// The same error at a place that means something to the caller.
    package func moved(to place: String) -> ProtectionError {
        ProtectionError(code, message, remedy: remedy, place: place, errorNumber: errorNumber)
    }
}

extension ProtectionError {
    /// A kind of failure. New kinds may be added.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Present, but its key is not available in this lock state.
        case sealed
        /// Not a correct passcode or recovery key.
        case wrongPasscode
        /// Too many wrong passcodes; wait.
        case throttled
        /// The bytes on disk are not what was written.
        case damaged
        /// No volume there.
        case notAVolume
        /// Made by a later version.
        case newerFormat
        /// The device key is missing, or is another volume's.
        case deviceKey
        /// Another process has the volume open, or somebody the file.
        case busy
        /// No such file or folder.
        case missing
        /// The name is taken.
        case exists
        /// The folder is not empty.
        case notEmpty
        /// A file was expected, a folder is there.
        case isFolder
        /// A folder was expected, something else is there.
        case notFolder
        /// The name cannot be a file's name.
        case invalidName
        /// An argument is out of its range.
        case invalidArgument
        /// The host's permissions forbid it.
        case forbidden
        /// The handle was not opened for this.
        case wrongAccess
        /// A symbolic link is in the way, or too many are.
        case symbolicLink
        /// The attribute is not set.
        case noAttribute
        /// This kind of thing, or this host, cannot do it.
        case notSupported
        /// The disk is full, or the quota is used up.
        case noSpace
        /// The host cannot hold a volume safely.
        case unsuitableHost
        /// No more memory can be locked for keys.
        case keyMemory
        /// The volume was closed, or the file.
        case closed
        /// The host failed in another way.
        case host

        /// The error number of this kind.
        package var errorNumber: Int32 {
            switch self {
            case .sealed, .wrongPasscode, .throttled: 1  // EPERM
            case .missing: 2  // ENOENT
            case .damaged, .host: 5  // EIO
            case .wrongAccess, .closed: 9  // EBADF
            case .keyMemory: 12  // ENOMEM
            case .forbidden, .deviceKey: 13  // EACCES
            case .busy: 16  // EBUSY
            case .exists: 17  // EEXIST
            case .notFolder: 20  // ENOTDIR
            case .isFolder: 21  // EISDIR
            case .invalidName, .invalidArgument, .notAVolume, .newerFormat: 22  // EINVAL
            case .noSpace: 28  // ENOSPC
            case .notEmpty: 39  // ENOTEMPTY
            case .symbolicLink: 40  // ELOOP
            case .noAttribute: 61  // ENODATA
            case .unsuitableHost, .notSupported: 95  // EOPNOTSUPP
            }
        }
    }
}

extension ProtectionError: CustomStringConvertible {
    /// Place, sentence and remedy in one line.
    public var description: String {
        let where_ = place.isEmpty ? "" : "\(place): "
        return where_ + message + (remedy.isEmpty ? "" : "; \(remedy)")
    }
}
