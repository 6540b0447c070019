public import FoundationEssentials

extension ProtectionClass {
    /// The class that Foundation's value names.
    ///
    /// - Returns: `nil` for a value that is none of the four, as Apple's
    ///   `completeWhenUserInactive`.
    public init?(_ type: FileProtectionType) {
        let found = Self.allCases.first { $0.foundationRawValue == type.rawValue }
        guard let found else { return nil }
        self = found
    }

    /// Foundation's value for the class.
    public var fileProtectionType: FileProtectionType { FileProtectionType(self) }

    /// The class that a call of this layer is asked for.
    ///
    /// - Throws: `invalidArgument` for a value that is none of the four.
    init(required type: FileProtectionType) throws(ProtectionError) {
        guard let found = ProtectionClass(type) else { throw .unknownClass(type.rawValue) }
        self = found
    }
}

/// As on Apple's systems, so that values can be compared and switched over. Swift 6.3's Foundation
/// for Linux leaves it out; one that has it makes this line a warning, and then the line goes.
extension FileProtectionType: @retroactive Hashable {}

extension FileProtectionType {
    /// Foundation's value for a class.
    public init(_ protectionClass: ProtectionClass) {
        self.init(rawValue: protectionClass.foundationRawValue)
    }
}
