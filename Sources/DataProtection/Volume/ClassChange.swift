/// What `ProtectedVolume.changeClasses` does with each file and folder.
public struct ClassChange: Sendable, Hashable {
    /// Which class.
    public var target: Target
    /// Whether each file is written afresh under a new key; see `ProtectedVolume.reencrypt`.
    public var isReencrypting: Bool

    /// A class for a whole tree.
    public enum Target: Sendable, Hashable {
        /// Each keeps the class that it has.
        case keep
        /// Files get this class, and folders give it to new children.
        case protectionClass(ProtectionClass)
        /// Files get the volume's default class, and folders have none of their own.
        case volumeDefault
    }

    /// Describes a change.
    public init(_ target: Target, isReencrypting: Bool = false) {
        self.target = target
        self.isReencrypting = isReencrypting
    }
}

/// What became of one file or folder in a change of many.
public struct ClassChangeItem: Sendable, Hashable {
    /// Where it is in the volume; `/` for the top folder.
    public let path: String
    /// Whether it is a folder, whose class is that of new children.
    public let isFolder: Bool
    /// The class before; `nil` for a folder without one, and for a file that does not tell.
    public let before: ProtectionClass?
    /// The class afterwards.
    public let after: ProtectionClass?
    /// What happened.
    public let outcome: Outcome

    /// What can happen.
    public enum Outcome: Sendable, Hashable {
        /// It was so already.
        case unchanged
        /// It was changed, or written afresh; durable.
        case changed
        /// It is as it was.
        case failed(ProtectionError)
    }
}

/// What became of all files and folders in a change of many.
public struct ClassChangeReport: Sendable, Hashable {
    /// Files that were changed, or written afresh.
    public internal(set) var changedFileCount = 0
    /// Folders that give another class to new children now.
    public internal(set) var changedFolderCount = 0
    /// Files and folders that were so already.
    public internal(set) var unchangedCount = 0
    /// Files and folders that could not be changed.
    public internal(set) var failedCount = 0
    /// How many files were of each class before; one with several names counts once.
    public internal(set) var before: [ProtectionClass: Int] = [:]
    /// How many files are of each class afterwards.
    public internal(set) var after: [ProtectionClass: Int] = [:]

    mutating func count(_ item: ClassChangeItem) {
        switch item.outcome {
        case .unchanged: unchangedCount += 1
        case .changed where item.isFolder: changedFolderCount += 1
        case .changed: changedFileCount += 1
        case .failed: failedCount += 1
        }
        guard !item.isFolder else { return }
        if let found = item.before { before[found, default: 0] += 1 }
        if let found = item.after { after[found, default: 0] += 1 }
    }
}
