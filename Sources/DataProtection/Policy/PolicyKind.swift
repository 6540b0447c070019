/// When an app must be able to use a kind of file.
public enum PolicyNeed: String, Sendable, Hashable, CaseIterable, Codable {
    /// Only while somebody is at the unlocked device.
    case whileUnlocked
    /// It is begun while locked, or goes on when the device locks.
    case whileOpen
    /// In the background, once the device was unlocked.
    case afterFirstUnlock
    /// Also before the first unlock.
    case always

    /// The strongest class that allows it.
    public var protectionClass: ProtectionClass {
        switch self {
        case .whileUnlocked: .complete
        case .whileOpen: .completeUnlessOpen
        case .afterFirstUnlock: .completeUntilFirstUserAuthentication
        case .always: .none
        }
    }
}

/// One kind of file, and the class that was decided for it.
public struct PolicyKind: Sendable, Hashable {
    /// What it is called: `capture`, `health record`.
    public var name: String
    /// Which paths it has. The first kind that matches a path is the file's.
    public var patterns: [PolicyPattern]
    /// The class: a weaker one is refused, or raised to this one.
    public var protectionClass: ProtectionClass
    /// The class of what is made while this one cannot be; `nil` for none, then it cannot be made.
    public var classWhileLocked: ProtectionClass?
    /// When the app must be able to use it.
    public var need: PolicyNeed
    /// Why this class, for whoever reads it next.
    public var reason: String

    /// Describes a kind.
    public init(
        name: String, patterns: [PolicyPattern], class protectionClass: ProtectionClass,
        classWhileLocked: ProtectionClass? = nil, need: PolicyNeed, reason: String
    ) {
        self.name = name
        self.patterns = patterns
        self.protectionClass = protectionClass
        self.classWhileLocked = classWhileLocked
        self.need = need
        self.reason = reason
    }

    /// Whether a path is of this kind.
    public func matches(_ path: String) -> Bool { patterns.contains { $0.matches(path) } }

    func matches(_ names: [[UInt8]]) -> Bool { patterns.contains { $0.matches(names) } }

    /// The weakest class that a file of this kind may have.
    var weakest: ProtectionClass {
        guard let classWhileLocked, protectionClass.isStricter(than: classWhileLocked) else {
            return protectionClass
        }
        return classWhileLocked
    }
}

/// A weaker class for some files of a kind, with the three questions answered that such a step
/// must answer.
public struct PolicyWaiver: Sendable, Hashable {
    /// Which files.
    public var pattern: PolicyPattern
    /// The class that they may have.
    public var protectionClass: ProtectionClass
    /// Is access in the background truly needed? What for.
    public var accessNeeded: String
    /// Does the sensitivity of the data allow it? Why.
    public var sensitivityAllows: String
    /// Was the trade-off considered? Against what.
    public var tradeOffConsidered: String

    /// Describes a waiver.
    public init(
        pattern: PolicyPattern, class protectionClass: ProtectionClass, accessNeeded: String,
        sensitivityAllows: String, tradeOffConsidered: String
    ) {
        self.pattern = pattern
        self.protectionClass = protectionClass
        self.accessNeeded = accessNeeded
        self.sensitivityAllows = sensitivityAllows
        self.tradeOffConsidered = tradeOffConsidered
    }
}
