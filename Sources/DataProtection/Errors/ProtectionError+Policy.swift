// The catalogue's part for policies.

extension ProtectionError {
    /// The policy's text is no policy.
    package static func unusablePolicy(_ what: String) -> ProtectionError {
        damaged(
            "the policy cannot be used: \(what)",
            remedy: "mend \(ProtectionPolicy.path), or begin anew: seal policy VOLUME init")
    }

    /// A later version wrote it.
    package static func newerPolicy(_ version: Int) -> ProtectionError {
        ProtectionError(
            .newerFormat, "the policy has version \(version), this program knows version 1",
            remedy: "install a newer version")
    }

    /// A class that is weaker than what was decided for the file's kind.
    package static func weakerThanPolicy(
        _ asked: ProtectionClass, _ kind: String, _ needed: ProtectionClass
    ) -> ProtectionError {
        ProtectionError(
            .forbidden,
            "class \(asked.name) is weaker than the policy's \(needed.name) for '\(kind)'",
            remedy: "ask for \(needed.name) or for no class, or write down a waiver")
    }
}
