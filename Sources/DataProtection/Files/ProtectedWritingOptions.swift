public import FoundationEssentials

/// How `Data` is written to a volume: Foundation's options, with every class told apart.
///
/// Written as a list, each option is seen by itself, and two classes at once are refused:
///
///     try data.write(to: url, options: [.atomic, .completeFileProtection], in: files)
///
/// A ready-made `Data.WritingOptions` is taken too. In such a set the classes are numbers that are
/// joined bit by bit: `[.completeFileProtection, .completeFileProtectionUnlessOpen]` *is*
/// `.completeFileProtectionUnlessOpen` (both 3), and nobody can tell. The joined values 5, 6 and 7
/// are refused.
public struct ProtectedWritingOptions: ExpressibleByArrayLiteral, Sendable {
    private let elements: [Data.WritingOptions]

    /// Takes over a set that was made elsewhere.
    public init(_ options: Data.WritingOptions) { elements = [options] }

    /// Takes each option by itself.
    public init(arrayLiteral elements: Data.WritingOptions...) { self.elements = elements }

    /// The file is the old one or the new one, whatever happens.
    public static let atomic: Self = [.atomic]
    /// A file that is there stays, and the call fails with 516.
    public static let withoutOverwriting: Self = [.withoutOverwriting]
    /// Class `none`.
    public static let noFileProtection: Self = [.noFileProtection]
    /// Class `complete`.
    public static let completeFileProtection: Self = [.completeFileProtection]
    /// Class `completeUnlessOpen`.
    public static let completeFileProtectionUnlessOpen: Self = [.completeFileProtectionUnlessOpen]
    /// Class `completeUntilFirstUserAuthentication`.
    public static let completeFileProtectionUntilFirstUserAuthentication: Self = [
        .completeFileProtectionUntilFirstUserAuthentication
    ]
}

extension ProtectedWritingOptions {
    /// Whether the file is replaced as a whole.
    var isAtomic: Bool { elements.contains { $0.contains(.atomic) } }

    /// Whether a file that is there stays.
    var isExclusive: Bool { elements.contains { $0.contains(.withoutOverwriting) } }

    /// The class that is asked for; `nil` for none.
    ///
    /// - Throws: `invalidArgument` for two classes at once, and for bits that name none.
    package func protectionClass() throws(ProtectionError) -> ProtectionClass? {
        var found: ProtectionClass?
        for element in elements {
            guard let next = try Self.protectionClass(of: element) else { continue }
            if let found, found != next { throw .twoClasses(found, next) }
            found = next
        }
        return found
    }

    /// The class is a number in the top four of 32 bits, not a member of the set: `contains` says
    /// that `completeFileProtectionUnlessOpen` holds `completeFileProtection` (3 and 2).
    private static func protectionClass(
        of options: Data.WritingOptions
    ) throws(ProtectionError) -> ProtectionClass? {
        let bits = options.rawValue & Data.WritingOptions.fileProtectionMask.rawValue
        switch bits {
        case 0: return nil
        case Data.WritingOptions.noFileProtection.rawValue: return ProtectionClass.none
        case Data.WritingOptions.completeFileProtection.rawValue: return .complete
        case Data.WritingOptions.completeFileProtectionUnlessOpen.rawValue:
            return .completeUnlessOpen
        case Data.WritingOptions.completeFileProtectionUntilFirstUserAuthentication.rawValue:
            return .completeUntilFirstUserAuthentication
        default: throw .unknownClass("the writing options 0x" + String(bits, radix: 16))
        }
    }
}
