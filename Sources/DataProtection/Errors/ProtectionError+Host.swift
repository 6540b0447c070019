package import Cryptography

extension ProtectionError {
    /// The sentence for a failed host call. See `errno(3)`.
    package init(_ error: HostError) {
        switch error.code {
        case HostError.noSuchEntry: self = .missing
        case HostError.entryExists: self = .exists
        case HostError.notEmpty: self = .notEmpty
        case HostError.isFolder: self = .isFolder
        case HostError.notFolder: self = .notFolder
        case HostError.noSpace, HostError.quotaExceeded:
            self = ProtectionError(
                .noSpace, "the disk is full",
                remedy: "free some space; what was there is untouched",
                errorNumber: error.code)
        case HostError.accessDenied, HostError.notPermitted:
            // EPERM means "sealed" to whoever reads the number, so the host's own is given as
            // EACCES.
            self = ProtectionError(
                .forbidden, "the host's permissions do not allow it",
                remedy: "look at the owner and mode of the volume's folder")
        case HostError.readOnly:
            self = ProtectionError(
                .forbidden, "the host file system is read-only", errorNumber: error.code)
        case HostError.tooManyDescriptors:
            self = ProtectionError(
                .host, "too many files are open",
                remedy: "close some, or raise the limit (ulimit -n)", errorNumber: error.code)
        case HostError.fileTooLarge:
            self = ProtectionError(
                .noSpace, "the host allows no larger file",
                remedy: "look at the limit (ulimit -f) and the file system",
                errorNumber: error.code)
        case HostError.nameTooLong:
            self = ProtectionError(
                .invalidName, "the name or path is too long for the host", errorNumber: error.code)
        case HostError.symbolicLink: self = .symbolicLink
        case HostError.noSuchAttribute: self = .noAttribute
        case HostError.notSupported:
            self = ProtectionError(.notSupported, "the host file system cannot do this")
        default:
            self = ProtectionError(
                .host, "\(error.call) failed with error \(error.code)", errorNumber: error.code)
        }
    }

    /// The sentence for a failed cryptographic step whose only cause can be the machine.
    ///
    /// Failed authentication never comes here: its meaning depends on what was opened.
    package init(_ error: CryptographyError) {
        switch error {
        case .keyMemoryExhausted: self = .keyMemory
        case .outOfMemory:
            self = ProtectionError(
                .keyMemory, "not enough memory to try the passcode",
                remedy: "free some memory, or choose a cheaper --kdf")
        case .authenticationFailed, .weakSharedSecret:
            self = .damaged("a cryptographic check failed")
        default:
            self = ProtectionError(
                .host, "a cryptographic library failed (\(error))",
                remedy: "try again; if it stays, look at the installed libcrypto and libsodium")
        }
    }
}
