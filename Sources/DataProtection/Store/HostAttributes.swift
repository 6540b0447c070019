/// What makes two host names one file.
package struct HostIdentity: Hashable, Sendable {
    /// The host device number.
    package var device: UInt64
    /// The inode number on that device.
    package var inode: UInt64

    /// Names one host inode.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// A point in time on the host's clock.
package struct HostTime: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970.
    package var seconds: Int64
    /// The rest, 0 to 999,999,999.
    package var nanoseconds: Int64

    /// Makes a time from its two parts.
    package init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static func < (left: HostTime, right: HostTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

/// What kind of thing a host entry is.
package enum HostKind: Sendable, Equatable {
    case regular, folder, symlink, fifo, socket, characterDevice, blockDevice
}

/// A host entry's attributes, as `fstat(2)` tells them.
package struct HostAttributes: Sendable, Equatable {
    /// The inode.
    package var identity: HostIdentity
    /// What it is.
    package var kind: HostKind
    /// The host size, in bytes: of the ciphertext.
    package var byteCount: Int64
    /// What it occupies, in bytes.
    package var allocatedByteCount: Int64
    /// Permission bits, 0 to 0o7777.
    package var mode: UInt32
    /// How many names it has.
    package var linkCount: UInt64
    /// The owner's number.
    package var owner: UInt32
    /// The group's number.
    package var group: UInt32
    /// A device's number, as `dev_t` has it; else 0.
    package var deviceNumber: UInt64 = 0
    /// When it was last read.
    package var accessTime: HostTime
    /// When its content last changed.
    package var modificationTime: HostTime
    /// When anything about it last changed; nobody can set this one.
    package var changeTime: HostTime

    /// Describes a host entry.
    package init(
        identity: HostIdentity, kind: HostKind, byteCount: Int64, allocatedByteCount: Int64,
        mode: UInt32, linkCount: UInt64, owner: UInt32, group: UInt32,
        accessTime: HostTime, modificationTime: HostTime, changeTime: HostTime
    ) {
        self.identity = identity
        self.kind = kind
        self.byteCount = byteCount
        self.allocatedByteCount = allocatedByteCount
        self.mode = mode
        self.linkCount = linkCount
        self.owner = owner
        self.group = group
        self.accessTime = accessTime
        self.modificationTime = modificationTime
        self.changeTime = changeTime
    }
}

/// One line of a host folder's listing.
package struct HostEntry: Sendable, Equatable {
    /// The host name. Bytes that are not UTF-8 are replaced, so such a name matches nothing of
    /// ours.
    package var name: String
    /// What it is.
    package var kind: HostKind
    /// The number of its inode, where the host tells it while listing; else 0.
    package var inode: UInt64

    /// Describes an entry.
    package init(name: String, kind: HostKind, inode: UInt64 = 0) {
        self.name = name
        self.kind = kind
        self.inode = inode
    }

    /// Whether two entries are alike; where they are stored is not looked at.
    package static func == (left: HostEntry, right: HostEntry) -> Bool {
        left.name == right.name && left.kind == right.kind
    }
}
