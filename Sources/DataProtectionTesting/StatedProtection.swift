public import DataProtection
public import FoundationEssentials

/// Where a store writes down the class of its files: the one constant that its app and every
/// extension use.
///
/// The options for writing, Foundation's type, the library's class and an outbox's options are
/// policies. A store with another form of its own conforms it.
public protocol StatedProtection {
    /// The class that is written down; `nil` when none is.
    ///
    /// - Throws: `invalidArgument` when it is not one class of the four.
    var statedClass: ProtectionClass? { get throws(ProtectionError) }
}

extension ProtectionClass: StatedProtection {
    /// The class itself.
    public var statedClass: ProtectionClass? { self }
}

extension FileProtectionType: StatedProtection {
    /// The class of that name.
    public var statedClass: ProtectionClass? {
        get throws(ProtectionError) { ProtectionClass(self) }
    }
}

extension ProtectedWritingOptions: StatedProtection {
    /// The class among the options.
    public var statedClass: ProtectionClass? {
        get throws(ProtectionError) { try protectionClass() }
    }
}

extension Data.WritingOptions: StatedProtection {
    /// The class that the options' bits name.
    public var statedClass: ProtectionClass? {
        get throws(ProtectionError) { try ProtectedWritingOptions(self).protectionClass() }
    }
}

extension OutboxOptions: StatedProtection {
    /// The class of items that are saved while it can be made.
    public var statedClass: ProtectionClass? { protectionClass }
}

extension PolicyKind: StatedProtection {
    /// The class that was decided for the kind.
    public var statedClass: ProtectionClass? { protectionClass }
}
