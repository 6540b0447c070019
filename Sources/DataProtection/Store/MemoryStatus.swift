/// What can be set about an inode of a memory store, and its times.
package struct MemoryStatus: Sendable, Equatable {
    /// Permission bits.
    package var mode: UInt32
    /// The owner's number.
    package var owner: UInt32
    /// The group's number.
    package var group: UInt32
    /// When it was last read. Only making it and setting it count: reading leaves no trace.
    package var accessTime: HostTime
    /// When its content last changed.
    package var modificationTime: HostTime
    /// When anything about it last changed.
    package var changeTime: HostTime

    /// Describes an inode that is made at this time.
    package init(mode: UInt32, owner: UInt32, group: UInt32, time: HostTime) {
        self.mode = mode
        self.owner = owner
        self.group = group
        accessTime = time
        modificationTime = time
        changeTime = time
    }

    /// Notes a change.
    package mutating func touch(_ time: HostTime, modifies: Bool = false) {
        changeTime = time
        if modifies { modificationTime = time }
    }

    /// Does what a caller asked for at this time.
    mutating func apply(_ change: HostAttributeChange, isFolder: Bool, at time: HostTime) {
        owner = change.owner ?? owner
        group = change.group ?? group
        if change.changesOwner, !isFolder {
            // 'man 2 chown': even root's call clears these; the group's bit means something else
            // when the group may not execute.
            mode &= ~(mode & 0o010 == 0 ? 0o4000 : 0o6000)
        }
        if let new = change.mode { mode = new & 0o7777 }
        accessTime = change.accessTime.map { $0.resolved(at: time) } ?? accessTime
        modificationTime =
            change.modificationTime.map { $0.resolved(at: time) } ?? modificationTime
        changeTime = time
    }
}

extension NewHostTime {
    /// The time itself, when the call happens at `time`.
    fileprivate func resolved(at time: HostTime) -> HostTime {
        switch self {
        case .now: time
        case .time(let given): given
        }
    }
}
