// The catalogue's part for small secrets.

extension ProtectionError {
    /// A key that cannot be one.
    package static func secretKey(_ byteCount: Int, limit: Int) -> ProtectionError {
        invalidArgument(
            "a secret's key of \(byteCount) bytes", remedy: "give 1 to \(limit) bytes of UTF-8")
    }

    /// A value beyond the limit.
    package static func secretTooLong(_ byteCount: Int, limit: Int) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "a secret of \(byteCount) bytes is more than \(limit)",
            remedy: "keep it in a file of class complete", errorNumber: 27)
    }

    /// A secret that would outlive the passcode from the beginning.
    package static var secretNeedsPasscode: ProtectionError {
        invalidArgument(
            "whenPasscodeSet needs a volume with a passcode",
            remedy: "set one with seal passwd, or choose another accessibility")
    }

    /// The key is taken.
    package static var secretExists: ProtectionError {
        ProtectionError(
            .exists, "there is a secret of this key", remedy: "update it, or choose another key")
    }

    /// Nothing of this key.
    package static var noSecret: ProtectionError {
        ProtectionError(.missing, "there is no secret of this key", remedy: "list them to see")
    }

    /// Its value was sealed under the device key of another device.
    package static var anotherDevicesSecret: ProtectionError {
        ProtectionError(
            .deviceKey, "this secret is another device's alone",
            remedy: "read it there, or delete it and ask its owner for a new one")
    }

    /// The file is authentic, and another secret's.
    package static var anothersSecret: ProtectionError {
        damaged(
            "what is kept under this key is another key's secret",
            remedy: "restore it from a backup, or set it anew")
    }

    /// The attribute that says how it is kept does not verify.
    package static var damagedAccessibility: ProtectionError {
        damaged(
            "when this secret may be read is damaged",
            remedy: "set it anew, and say when it may be read")
    }

    /// What its file holds is no secret.
    package static func unusableSecret(_ error: FormatError) -> ProtectionError {
        switch error {
        case .damaged(let what):
            damaged(
                "what is kept under this key is \(what)",
                remedy: "restore it from a backup, or set it anew")
        case .newerVersion(let version):
            ProtectionError(
                .newerFormat, "the secret has format \(version), this program knows format 1",
                remedy: "install a newer version")
        }
    }
}
