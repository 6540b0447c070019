/// Which attributes of a file or folder to change; what is `nil` stays.
///
///     var change = AttributeChange()
///     change.mode = 0o640
///     change.modificationTime = .now
///     try volume.setAttributes(change, of: "note.txt")
public struct AttributeChange: Sendable, Hashable {
    /// Permission bits, 0 to 0o7777.
    public var mode: UInt32?
    /// The owner's number; changing it clears the set-user-ID and set-group-ID bits (chown(2)).
    public var owner: UInt32?
    /// The group's number; the same holds.
    public var group: UInt32?
    /// When it was last read.
    public var accessTime: NewTime?
    /// When its content last changed.
    public var modificationTime: NewTime?

    /// Changes nothing yet.
    public init() {}

    /// A change of permission bits alone.
    public init(mode: UInt32) { self.mode = mode }

    /// The change as the host makes it.
    ///
    /// - Throws: `invalidArgument` for bits or nanoseconds out of range.
    func checked() throws(ProtectionError) -> HostAttributeChange {
        if let mode, mode > 0o7777 { throw .invalidArgument("a mode has 12 bits") }
        var change = HostAttributeChange()
        change.mode = mode
        change.owner = owner
        change.group = group
        change.accessTime = try accessTime?.checked()
        change.modificationTime = try modificationTime?.checked()
        return change
    }
}

/// A time to set.
public enum NewTime: Sendable, Hashable {
    /// The host's time at the moment of the call.
    case now
    /// This time.
    case time(FileTime)

    fileprivate func checked() throws(ProtectionError) -> NewHostTime {
        switch self {
        case .now: return .now
        case .time(let time):
            guard (0..<1_000_000_000).contains(time.nanoseconds) else {
                throw .invalidArgument("nanoseconds are 0 to 999,999,999")
            }
            return .time(HostTime(seconds: time.seconds, nanoseconds: time.nanoseconds))
        }
    }
}

/// Permission bits that the host's entry cannot have, because this process must be able to work
/// with it whatever the logical mode says.
package enum KeptMode {
    /// The mode to keep for a file; `nil` when the host can have it.
    static func ofFile(_ mode: UInt32) -> UInt32? { mode & 0o600 == 0o600 ? nil : mode & 0o7777 }

    /// The mode to keep for a folder; `nil` when the host can have it.
    static func ofFolder(_ mode: UInt32) -> UInt32? { mode & 0o700 == 0o700 ? nil : mode & 0o7777 }

    /// Which bits a change of owner or group clears. See: 'man 2 chown'.
    static func afterNewOwner(_ mode: UInt32) -> UInt32 {
        mode & ~(mode & 0o010 == 0 ? 0o4000 : 0o6000)
    }

    /// What may be done with an entry whose mode is kept, by its owner's bits. Whoever is not its
    /// owner is refused by the host itself, which has the other bits.
    ///
    /// - Parameters:
    ///   - bits: 4 to read, 2 to write, 1 to search.
    ///   - owner: the entry's owner.
    ///   - user: who asks; 0 may do everything.
    package static func allows(
        _ bits: UInt32, _ keptMode: UInt32?, owner: UInt32,
        user: UInt32
    ) -> Bool {
        guard let keptMode, user == owner, user != 0 else { return true }
        return (keptMode >> 6) & bits == bits
    }

    /// Whether an entry belongs to this process's user.
    static func isOwner(_ owner: UInt32) -> Bool { owner == HostSystemCalls.userNumber() }

    /// The same for this process's user.
    static func allows(_ bits: UInt32, _ keptMode: UInt32?, owner: UInt32) -> Bool {
        // Nearly no mode is kept, and asking who one is costs a system call.
        guard keptMode != nil else { return true }
        return allows(bits, keptMode, owner: owner, user: HostSystemCalls.userNumber())
    }
}
