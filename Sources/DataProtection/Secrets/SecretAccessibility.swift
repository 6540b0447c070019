/// When a small secret can be read: the keychain's accessibility, for a volume.
///
/// See: Apple Platform Security, "Keychain data protection"; `kSecAttrAccessible`.
public enum SecretAccessibility: String, Sendable, Hashable, CaseIterable {
    /// While the volume is unlocked: code that runs in the background does not get it.
    ///
    /// As `kSecAttrAccessibleWhenUnlocked`.
    case whenUnlocked
    /// From the first unlock on, also while locked: for what runs in the background.
    ///
    /// As `kSecAttrAccessibleAfterFirstUnlock`.
    case afterFirstUnlock
    /// While the volume is unlocked, and as long as it has a passcode: when the passcode is
    /// removed, it is gone. It cannot be kept on a volume without one, and never leaves this
    /// device.
    ///
    /// As `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
    case whenPasscodeSet

    /// The class of the secret's file.
    public var protectionClass: ProtectionClass {
        self == .afterFirstUnlock ? .completeUntilFirstUserAuthentication : .complete
    }

    /// What a file's class and flags come to; `nil` for what no secret has.
    init?(_ protectionClass: ProtectionClass, _ flags: SecretRecord.Flags) {
        switch (protectionClass, flags.contains(.needsPasscode)) {
        case (.complete, true): self = .whenPasscodeSet
        case (.complete, false): self = .whenUnlocked
        case (.completeUntilFirstUserAuthentication, false): self = .afterFirstUnlock
        default: return nil
        }
    }
}

/// What can be told of a secret in every lock state.
public struct Secret: Sendable, Hashable {
    /// What it is asked for by.
    public let key: String
    /// When it can be read; `nil` when that is damaged.
    public let accessibility: SecretAccessibility?
    /// Whether only this device can read it, also with the recovery key.
    public let isThisDeviceOnly: Bool
    /// Whether its key is not there now.
    public let isSealed: Bool
    /// When its value was last set, in seconds since 1970.
    public let changedAt: Int64
}
