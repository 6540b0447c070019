public import DataProtection
public import FoundationEssentials

/// How a database is opened.
public struct ProtectedDatabaseConfiguration: Sendable {
    /// The key under which `setOption(_:forKey:)` takes the class.
    public static let fileProtectionKey = "NSPersistentStoreFileProtectionKey"

    /// How SQLite keeps a transaction whole.
    public enum JournalMode: String, Sendable, Hashable, CaseIterable {
        /// A journal beside the database, removed at each commit. SQLite's default.
        case delete
        /// A journal that is cut to nothing at each commit.
        case truncate
        /// A journal whose beginning is overwritten at each commit.
        case persist
        /// A write-ahead log: readers and one writer side by side.
        case wal
    }

    /// The class of the database and of everything beside it, given also to a database that is
    /// there; `nil` leaves a new one to the rules (docs/classes.md) and an old one as it is.
    public var protectionClass: ProtectionClass?
    /// Whether nothing can be written.
    public var isReadOnly = false
    /// Whether a database that is missing is made.
    public var makesMissing = true
    /// How long a statement waits for another connection. At most some weeks.
    public var busyTimeout = Duration.seconds(5)
    /// How SQLite keeps a transaction whole; `nil` leaves it as the database has it.
    public var journalMode: JournalMode?

    /// The defaults: to read and write, made when it is missing, in the class of its folder.
    public init(protectionClass: ProtectionClass? = nil) {
        self.protectionClass = protectionClass
    }

    /// Sets the class as Core Data does: `setOption(FileProtectionType.complete as NSObject,
    /// forKey: NSPersistentStoreFileProtectionKey)`.
    ///
    /// - Parameters:
    ///   - type: the class; `nil` leaves it to the rules.
    ///   - key: `fileProtectionKey`.
    /// - Throws: `invalidArgument` for another key, and for a value that is none of the four
    ///   classes; nothing has changed then.
    public mutating func setOption(
        _ type: FileProtectionType?, forKey key: String
    ) throws(ProtectionError) {
        guard key == Self.fileProtectionKey else { throw .unknownDatabaseOption(key) }
        guard let type else {
            protectionClass = nil
            return
        }
        guard let named = ProtectionClass(type) else {
            throw .unknownDatabaseClass(type.rawValue)
        }
        protectionClass = named
    }
}
