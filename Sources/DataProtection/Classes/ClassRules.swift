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

/// Names that belong to a file beside them.
package enum CompanionNames {
    /// Endings: `X-wal` belongs to `X`.
    package static let suffixes = ["-wal", "-journal", "~"]
    /// What stands around the name: `.X.swp` belongs to `X`.
    package static let frames = [(".", ".swp"), (".", ".swo"), (".", ".swx"), (".#", "")]
    /// The ending of a database's shared memory.
    package static let sharedMemorySuffix = "-shm"

    /// The name of the file to which `name` may belong; `nil` when it is no companion's name.
    package static func owner(of name: String) -> String? {
        for suffix in suffixes where name.hasSuffix(suffix) && name.count > suffix.count {
            return String(name.dropLast(suffix.count))
        }
        for (start, end) in frames
        where name.hasPrefix(start) && name.hasSuffix(end) && name.count > start.count + end.count {
            return String(name.dropFirst(start.count).dropLast(end.count))
        }
        return nil
    }

    /// The name under which editors leave the former file of a name.
    package static func backup(of name: [UInt8]) -> [UInt8] { name + [UInt8(ascii: "~")] }

    /// Whether `name` is that of a database's shared memory.
    package static func isSharedMemory(_ name: String) -> Bool {
        name.hasSuffix(sharedMemorySuffix) && name.count > sharedMemorySuffix.count
    }
}
