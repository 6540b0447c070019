/// Which attributes of a host entry to change; what is `nil` stays.
package struct HostAttributeChange: Sendable, Equatable {
    /// Permission bits, 0 to 0o7777. Set after the owner, because that clears some.
    package var mode: UInt32?
    /// The owner's number.
    package var owner: UInt32?
    /// The group's number.
    package var group: UInt32?
    /// When it was last read.
    package var accessTime: NewHostTime?
    /// When its content last changed. Set last of all.
    package var modificationTime: NewHostTime?

    /// Changes nothing yet.
    package init() {}
}

/// A time to set.
package enum NewHostTime: Sendable, Equatable {
    /// The host's time at the moment of the call.
    case now
    /// This time.
    case time(HostTime)
}

extension HostAttributeChange {
    /// Whether the owner or the group is to change.
    var changesOwner: Bool { owner != nil || group != nil }

    /// Whether a time is to change.
    var changesTimes: Bool { accessTime != nil || modificationTime != nil }

    /// Refuses what the host would take for something else.
    ///
    /// - Throws: `EINVAL` for nanoseconds out of range, and for an owner or group that C calls -1.
    func check(call: String) throws(HostError) {
        for case .time(let time) in [accessTime, modificationTime]
        where !(0..<1_000_000_000).contains(time.nanoseconds) {
            throw HostError(code: HostError.invalidArgument, call: call)
        }
        if owner == .max || group == .max {
            throw HostError(code: HostError.invalidArgument, call: call)
        }
    }
}
