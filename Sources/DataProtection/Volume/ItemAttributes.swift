/// What is known of a file or folder, in every lock state.
public struct ItemAttributes: Sendable, Hashable {
    /// What it is.
    public let kind: ItemKind
    /// The number of its inode on the host: the same for all names of one file.
    public let identity: UInt64
    /// A file's size, or the length of a symbolic link's target, in bytes; 0 for anything else.
    public let size: Int64
    /// A file's class, or the class that a folder gives to new children; `nil` for a folder that
    /// has none of its own, and for links and devices.
    public let protectionClass: ProtectionClass?
    /// Whether its content cannot be read now for want of a key.
    public internal(set) var isSealed: Bool
    /// What is wrong with it, in words; `nil` for nothing.
    public let damage: String?
    /// Permission bits, 0 to 0o7777.
    public let mode: UInt32
    /// How many names it has; 0 for an open file whose last name is gone.
    public let linkCount: UInt64
    /// The owner's number.
    public let owner: UInt32
    /// The group's number.
    public let group: UInt32
    /// A device's number, as `dev_t` has it; else 0.
    public let deviceNumber: UInt64
    /// When it was last read. Reading through the library does not change it.
    public let accessTime: FileTime
    /// When its content last changed.
    public let modificationTime: FileTime
    /// When anything about it last changed; nobody can set this one.
    public let changeTime: FileTime
    /// Its size on the host, in bytes.
    public let hostByteCount: Int64
    /// What it occupies on the host, in bytes.
    public let allocatedByteCount: Int64

    /// Describes an entry by what the host says, and by what only the volume knows.
    ///
    /// - Parameter mode: `nil` when the host's permission bits are right.
    init(
        _ host: HostAttributes, size: Int64 = 0, protectionClass: ProtectionClass? = nil,
        isSealed: Bool = false, damage: String? = nil, mode: UInt32? = nil
    ) {
        kind = ItemKind(host.kind)
        identity = host.identity.inode
        self.size = size
        self.protectionClass = protectionClass
        self.isSealed = isSealed
        self.damage = damage
        self.mode = mode ?? host.mode
        linkCount = host.linkCount
        owner = host.owner
        group = host.group
        deviceNumber = host.deviceNumber
        accessTime = FileTime(host.accessTime)
        modificationTime = FileTime(host.modificationTime)
        changeTime = FileTime(host.changeTime)
        hostByteCount = host.byteCount
        allocatedByteCount = host.allocatedByteCount
    }
}

/// What kind of thing an entry is.
public enum ItemKind: String, Sendable, Hashable, CaseIterable {
    /// A file with content.
    case file
    /// A folder.
    case folder
    /// A symbolic link.
    case symlink
    /// A pipe with a name.
    case fifo
    /// A socket with a name.
    case socket
    /// A device that is read byte by byte.
    case characterDevice
    /// A device that is read block by block.
    case blockDevice

    init(_ kind: HostKind) {
        self =
            switch kind {
            case .regular: .file
            case .folder: .folder
            case .symlink: .symlink
            case .fifo: .fifo
            case .socket: .socket
            case .characterDevice: .characterDevice
            case .blockDevice: .blockDevice
            }
    }

    /// The host's word for it.
    var hostKind: HostKind {
        switch self {
        case .file: .regular
        case .folder: .folder
        case .symlink: .symlink
        case .fifo: .fifo
        case .socket: .socket
        case .characterDevice: .characterDevice
        case .blockDevice: .blockDevice
        }
    }
}

/// A point in time.
public struct FileTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970; negative before.
    public var seconds: Int64
    /// The rest, 0 to 999,999,999.
    public var nanoseconds: Int64

    /// Makes a time from its two parts.
    public init(seconds: Int64, nanoseconds: Int64 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    init(_ time: HostTime) {
        self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
    }

    /// Whether the first of two times is the earlier one.
    public static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
