/// How a volume keeps a file's class through the habits of programs. Chosen when it is made.
public enum RuleSet: UInt8, Sendable, Hashable, CaseIterable {
    /// Where a Linux program's way of saving would lose the class, the stronger class wins.
    case safer = 1
    /// As Apple's systems do: a new file takes its folder's class, whatever it replaces.
    case apple = 2

    /// The rule set's name: `safer` or `apple`.
    public var name: String { self == .safer ? "safer" : "apple" }
}

/// Everything that may speak when a new file gets its class, in the order in which it is asked.
package struct NewFileContext: Sendable, Equatable {
    /// The class that the caller asked for.
    package var explicit: ProtectionClass?
    /// The class of the file that this one is about to replace.
    package var replaced: ProtectionClass?
    /// The class of the file that had this name until some seconds ago, or that is its backup.
    package var remembered: ProtectionClass?
    /// The class of the file beside it to which this name belongs, as `X-wal` belongs to `X`.
    package var companion: ProtectionClass?
    /// Whether the name is that of a database's shared memory, `X-shm` beside `X`.
    package var isSharedMemory = false
    /// The class of the file's kind, in a volume with a policy.
    package var policy: ProtectionClass?
    /// The class that the folder gives to new children.
    package var folder: ProtectionClass?
    /// The volume's class where nothing else says otherwise.
    package var volume: ProtectionClass

    /// A context in which only the volume speaks.
    package init(volume: ProtectionClass) { self.volume = volume }
}

extension RuleSet {
    /// The class of a new file. docs/classes.md explains each step.
    package func classOfNewFile(in context: NewFileContext) -> ProtectionClass {
        for source in ClassSource.allCases where source.ruleSets.contains(self) {
            if let answer = source.answer(in: context) { return answer }
        }
        return context.volume
    }

    /// The class that a file has after it was renamed over another one.
    package func classAfterReplacing(
        _ replaced: ProtectionClass, with source: ProtectionClass
    ) -> ProtectionClass {
        self == .apple ? source : ProtectionClass.stricter(replaced, source)
    }
}
