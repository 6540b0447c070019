/// What `ProtectedVolume.verify` found of one thing.
public struct VerifiedItem: Sendable, Hashable {
    /// Where it is in the volume, `/` for the top folder; for what is no entry, the folder and its
    /// name on the host.
    public let path: String
    /// What was found.
    public let finding: Finding
    /// What can be done; empty when there is nothing to do.
    public let remedy: String

    /// What can be found.
    public enum Finding: Sendable, Hashable {
        /// All of it verifies.
        case whole
        /// It verifies, and was put in order; the text says what a crash had left.
        case repaired(String)
        /// It did not verify, and was written anew from what is known of it; the text says what it
        /// was.
        case renewed(String)
        /// It cannot be verified now: its key is not there.
        case sealed
        /// It does not verify; the text says what.
        case damaged(String)
        /// The host does not let it be read; the text says why.
        case unreadable(String)
        /// Something half made or half removed that an interrupted call left.
        case leftover(isRemoved: Bool)
        /// A file of the host that is nothing of the volume's; the text says what it is.
        case foreign(String)
    }
}

/// What `ProtectedVolume.verify` found altogether.
public struct VerificationReport: Sendable, Hashable {
    /// Entries that verify: every name of a file counts. Those that were put in order count apart.
    public internal(set) var wholeCount = 0
    /// Entries that cannot be verified without a key that is not there.
    public internal(set) var sealedCount = 0
    /// Files, folders, names and other things that do not verify.
    public internal(set) var damagedCount = 0
    /// Things that the host does not let be read.
    public internal(set) var unreadableCount = 0
    /// What interrupted calls left.
    public internal(set) var leftoverCount = 0
    /// How much of that was removed.
    public internal(set) var removedCount = 0
    /// Files that were put in order after a crash.
    public internal(set) var repairedCount = 0
    /// Records of the volume that were written anew.
    public internal(set) var renewedCount = 0
    /// Files of the host that are nothing of the volume's.
    public internal(set) var foreignCount = 0

    /// Files that verify; one with several names counts once.
    public internal(set) var fileCount = 0
    /// Folders that verify, without the top folder.
    public internal(set) var folderCount = 0
    /// The content of these files, in bytes; holes do not count.
    public internal(set) var byteCount: Int64 = 0

    /// Whether names are private and nobody has unlocked, so that hardly anything could be seen.
    public internal(set) var hasSealedNames = false
    /// Whether no folder at all has its record: a copy without symbolic links.
    public internal(set) var lacksAllLinks = false
    /// Whether the volume counts as cleanly closed when it is closed now.
    public internal(set) var endsClean = false

    /// Whether everything was verified, and found whole.
    public var isWhole: Bool { sealedCount == 0 && damagedCount == 0 && unreadableCount == 0 }

    mutating func count(_ finding: VerifiedItem.Finding) {
        switch finding {
        case .whole: wholeCount += 1
        case .repaired: repairedCount += 1
        case .renewed: renewedCount += 1
        case .sealed: sealedCount += 1
        case .damaged: damagedCount += 1
        case .unreadable: unreadableCount += 1
        case .leftover(let isRemoved):
            leftoverCount += 1
            if isRemoved { removedCount += 1 }
        case .foreign: foreignCount += 1
        }
    }
}
