package import Cryptography

/// What is decided once, when a volume is made.
public struct VolumeConfiguration: Sendable {
    /// The class of new files where no folder says otherwise. Apple's default is
    /// `completeUntilFirstUserAuthentication`.
    public var defaultClass: ProtectionClass
    /// How files are encrypted.
    public var cipher: VolumeCipher
    /// What trying one passcode costs.
    public var passcodeCost: KeyDerivationCost
    /// How classes survive the habits of programs.
    public var ruleSet: RuleSet
    /// Whether nothing can be listed before the first unlock. By default whoever holds the folder
    /// and the device key sees names, sizes and classes.
    public var hasPrivateNames: Bool
    /// Whether wrong passcodes are answered with Apple's delays, and the tenth disables it.
    public var delaysPasscodes: Bool

    /// Makes a configuration; every default is the recommended value.
    public init(
        defaultClass: ProtectionClass = .completeUntilFirstUserAuthentication,
        cipher: VolumeCipher = .automatic, passcodeCost: KeyDerivationCost = .moderate,
        ruleSet: RuleSet = .safer, hasPrivateNames: Bool = false, delaysPasscodes: Bool = false
    ) {
        self.defaultClass = defaultClass
        self.cipher = cipher
        self.passcodeCost = passcodeCost
        self.ruleSet = ruleSet
        self.hasPrivateNames = hasPrivateNames
        self.delaysPasscodes = delaysPasscodes
    }
}

/// The cipher of a volume's files.
public enum VolumeCipher: String, Sendable, CaseIterable {
    /// AES where this machine's processor has instructions for it, else ChaCha.
    case automatic = "auto"
    /// XAES-256-GCM (C2SP).
    case aes
    /// XChaCha20-Poly1305.
    case chacha

    package var algorithm: AEADAlgorithm {
        switch self {
        case .automatic: .preferred
        case .aes: .xaes256GCM
        case .chacha: .xChaCha20Poly1305
        }
    }
}

/// What trying one passcode costs: Argon2id's passes and memory, under libsodium's names.
///
/// Without hardware behind the device key this cost is all that slows down whoever has stolen the
/// folder and the device key.
public struct KeyDerivationCost: Sendable, Hashable {
    /// How often the memory is gone over, 1 to 64.
    public let passCount: UInt32
    /// The memory, in bytes: 8192 to 4 GiB, a multiple of 1024.
    public let memoryByteCount: UInt64

    /// 64 MiB, two passes: about a tenth of a second.
    public static let interactive = KeyDerivationCost(.interactive)
    /// 256 MiB, three passes: about a second. The default.
    public static let moderate = KeyDerivationCost(.moderate)
    /// 1 GiB, four passes: some seconds.
    public static let sensitive = KeyDerivationCost(.sensitive)

    /// A cost by libsodium's name; `nil` for an unknown one.
    public init?(named name: String) {
        switch name {
        case "interactive": self = .interactive
        case "moderate": self = .moderate
        case "sensitive": self = .sensitive
        default: return nil
        }
    }

    /// A cost for tests, which must not take a second each.
    package init(passCount: UInt32, memoryByteCount: UInt64) {
        self.passCount = passCount
        self.memoryByteCount = memoryByteCount
    }

    private init(_ cost: PasscodeCost) {
        self.init(passCount: cost.operations, memoryByteCount: cost.memoryByteCount)
    }

    package var cost: PasscodeCost {
        PasscodeCost(operations: passCount, memoryByteCount: memoryByteCount)
    }
}
