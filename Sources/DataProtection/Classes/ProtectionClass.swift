/// When a file's data can be read: Apple's four classes.
///
/// The class of a file decides when its key exists. `complete` is the strictest.
///
/// | class | letter | the key exists | created while locked |
/// |---|---|---|---|
/// | `complete` | A | only while unlocked | no |
/// | `completeUnlessOpen` | B | while unlocked, and while the file stays open | yes |
/// | `completeUntilFirstUserAuthentication` | C | from the first unlock on | yes |
/// | `none` | D | always; the file is still encrypted | yes |
///
/// Source: Apple Platform Security, *Data Protection classes*.
public enum ProtectionClass: UInt8, Sendable, Hashable, CaseIterable {
    /// Readable only while unlocked; handles that are open at lock stop working (class A).
    case complete = 1
    /// May be created at any time; after its last close it opens only while unlocked (class B).
    case completeUnlessOpen = 2
    /// Readable from the first unlock until the volume is closed (class C).
    case completeUntilFirstUserAuthentication = 3
    /// Readable whenever the device key is there (class D).
    case none = 4

    /// Whether this class protects more than `other`.
    public func isStricter(than other: ProtectionClass) -> Bool { rawValue < other.rawValue }

    /// The stricter of two classes.
    package static func stricter(_ one: ProtectionClass, _ other: ProtectionClass)
        -> ProtectionClass
    {
        one.isStricter(than: other) ? one : other
    }

    /// The next weaker class; `nil` for `none`.
    public var nextWeaker: ProtectionClass? { ProtectionClass(rawValue: rawValue + 1) }

    /// The next stricter class; `nil` for `complete`.
    public var nextStricter: ProtectionClass? { ProtectionClass(rawValue: rawValue - 1) }
}

extension ProtectionClass {
    /// The class's letter in Apple's security guide: `A` to `D`.
    public var letter: Character {
        switch self {
        case .complete: "A"
        case .completeUnlessOpen: "B"
        case .completeUntilFirstUserAuthentication: "C"
        case .none: "D"
        }
    }

    /// The class's name as Foundation's `FileProtectionType` spells the case.
    public var name: String {
        switch self {
        case .complete: "complete"
        case .completeUnlessOpen: "completeUnlessOpen"
        case .completeUntilFirstUserAuthentication: "completeUntilFirstUserAuthentication"
        case .none: "none"
        }
    }

    /// The raw value of Foundation's `FileProtectionType`, for instance `NSFileProtectionComplete`.
    public var foundationRawValue: String {
        "NSFileProtection" + name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Reads a class from its Foundation case name, its raw value, or its letter in either case.
    ///
    /// - Parameter text: for instance `complete`, `NSFileProtectionComplete` or `A`.
    /// - Returns: `nil` when the text names no class.
    public init?(named text: String) {
        let found = Self.allCases.first {
            text == $0.name || text == $0.foundationRawValue
                || text.uppercased() == String($0.letter)
        }
        guard let found else { return nil }
        self = found
    }
}

extension ProtectionClass: CustomStringConvertible {
    /// The class's name.
    public var description: String { name }
}
