internal import DataProtection
internal import Glibc

// What the kernel says of a mounted file, in the words of this library.

extension ProtectionError {
    static var noMountedItem: ProtectionError {
        ProtectionError(
            .notSupported, "it is in no mounted volume",
            remedy: "give a file or folder below a mount: seal mount")
    }

    private static func forbiddenItem(_ errorNumber: Int32) -> ProtectionError {
        ProtectionError(
            .forbidden, "its permissions do not allow it", remedy: "look at its owner and mode",
            errorNumber: errorNumber)
    }

    static func itemFailure(_ errorNumber: Int32) -> ProtectionError {
        switch errorNumber {
        case ENOENT: missing
        case ENOTDIR: notFolder
        case EISDIR: isFolder
        case EEXIST: exists
        case EIO: damaged("it is damaged")
        case EACCES, EPERM, EROFS: forbiddenItem(errorNumber)
        case ENOSPC, EDQUOT:
            ProtectionError(
                .noSpace, "the disk is full", remedy: "free some space", errorNumber: errorNumber)
        default:
            ProtectionError(
                .host, "the call failed (error \(errorNumber))", errorNumber: errorNumber)
        }
    }

    static func notCreated(
        _ protectionClass: ProtectionClass, errorNumber: Int32
    ) -> ProtectionError {
        switch errorNumber {
        case EPERM: sealed(protectionClass, .locked, creating: true)
        default: itemFailure(errorNumber)
        }
    }
}
