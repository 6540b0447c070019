internal import DataProtection
internal import Synchronization

/// How far a connection has locked a database file.
enum LockLevel: Int32, Sendable, Comparable {
    case none = 0
    case shared, reserved, pending, exclusive

    static func < (left: LockLevel, right: LockLevel) -> Bool { left.rawValue < right.rawValue }
}

/// One database file that is open, whoever has it open: its locks and its index of a write-ahead
/// log. One process owns a volume, so neither needs to be visible to others.
final class FileRecord: Sendable {
    /// Names a connection's handle.
    typealias Owner = ObjectIdentifier

    struct State: ~Copyable {
        var sharers: Set<Owner> = []
        var reserved: Owner?
        var pending: Owner?
        var exclusive: Owner?
        /// Whose transaction met a lock of the volume, and has not been told yet.
        var faulted: Set<Owner> = []
        var index = SharedIndex()
        /// What the log's writer has not committed yet.
        var held = HeldFrames()
    }

    private let state = Mutex(State())

    /// Runs a step under the record's lock.
    func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in try body(&state) }
    }
}

extension FileRecord.State {
    /// Takes a stronger lock, by SQLite's rules (`os_unix.c`): one may intend to write beside
    /// readers, and whoever waits to write keeps new readers out.
    ///
    /// - Returns: the lock that is held afterwards. It is `pending` instead of `exclusive` while
    ///   others read, and the old one when somebody is in the way.
    mutating func raise(
        _ owner: FileRecord.Owner, from present: LockLevel, to wanted: LockLevel
    ) -> LockLevel {
        guard wanted > present else { return present }
        func isFree(_ holder: FileRecord.Owner?) -> Bool { holder == nil || holder == owner }
        guard isFree(exclusive), isFree(pending) else { return present }
        if wanted == .shared {
            sharers.insert(owner)
            return .shared
        }
        guard isFree(reserved) else { return present }
        if wanted == .reserved {
            reserved = owner
            return .reserved
        }
        pending = owner
        guard sharers.allSatisfy({ $0 == owner }) else { return .pending }
        exclusive = owner
        return .exclusive
    }

    /// Goes back to `shared` or to no lock.
    mutating func lower(_ owner: FileRecord.Owner, to level: LockLevel) {
        if exclusive == owner { exclusive = nil }
        if pending == owner { pending = nil }
        if reserved == owner { reserved = nil }
        if level == .none { sharers.remove(owner) }
    }

    /// Whether an owner's transaction met a lock of the volume.
    func hasFault(_ owner: FileRecord.Owner) -> Bool {
        !faulted.isEmpty && faulted.contains(owner)
    }

    /// A connection does without the log's index from now on.
    mutating func leaveIndex(_ owner: FileRecord.Owner) {
        if index.writer == owner { held.endWriting() }
        index.leave(owner)
    }

    /// Whether somebody, perhaps the one who asks, intends to write.
    var isReserved: Bool { reserved != nil || pending != nil || exclusive != nil }

    /// Whether a connection is in a transaction that writes.
    func isWriting(_ owner: FileRecord.Owner) -> Bool {
        reserved == owner || pending == owner || exclusive == owner || index.writer == owner
    }
}
