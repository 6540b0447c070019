import DataProtection

/// One thing that is done to a volume and to a plain folder alike.
///
/// A file that is opened is put into a slot; a path is names with `/` between, empty for the top
/// folder. What an operation means does not depend on those before it, so that a sequence can be
/// made shorter.
public enum ModelOperation: Sendable, Hashable {
    /// Opens a file in a slot, which is closed before.
    case open(Int, String, ModelOpening)
    /// Closes a slot.
    case close(Int)
    /// Reads at an offset.
    case read(Int, Int64, Int)
    /// Writes at an offset.
    case write(Int, Int64, ModelBytes)
    /// Writes at the end.
    case append(Int, ModelBytes)
    /// Cuts or extends.
    case truncate(Int, Int64)
    /// Sets space aside.
    case allocate(Int, Range<Int64>, keepsSize: Bool)
    /// Makes a hole.
    case punchHole(Int, Range<Int64>)
    /// Makes zeros.
    case zeroRange(Int, Range<Int64>, keepsSize: Bool)
    /// Looks for data or for a hole.
    case seek(Int, Int64, hole: Bool)
    /// Makes a file durable.
    case synchronize(Int, everything: Bool)
    /// Looks at an open file.
    case status(Int)
    /// Changes an open file's attributes.
    case change(Int, ModelChange)
    /// Gives an open file a class.
    case setClassOfOpen(Int, ProtectionClass)

    /// Reads a whole file.
    case readWhole(String)
    /// Writes a whole file in place of another.
    case writeWhole(String, ModelBytes, ProtectionClass?, mode: UInt32?, exclusive: Bool)
    /// Gives a file another name.
    case link(String, String)
    /// Makes a symbolic link.
    case symlink(String, target: String)
    /// Reads a symbolic link.
    case readlink(String)
    /// Makes a fifo.
    case makeFifo(String, mode: UInt32)
    /// Removes a file.
    case remove(String)
    /// Renames.
    case rename(String, String, RenameRule)
    /// Makes a folder.
    case makeFolder(String, ProtectionClass?, mode: UInt32)
    /// Removes a folder.
    case removeFolder(String)
    /// Lists a folder.
    case list(String)
    /// Looks at what a path leads to.
    case attributes(String, follows: Bool)
    /// Changes attributes of what a path leads to.
    case setAttributes(String, ModelChange, follows: Bool)
    /// Sets a user attribute.
    case setUserAttribute(String, String, ModelBytes, UserAttributeRule)
    /// Reads a user attribute.
    case userAttribute(String, String)
    /// Removes a user attribute.
    case removeUserAttribute(String, String)
    /// Lists user attributes.
    case userAttributeNames(String)
    /// Makes a folder's names durable.
    case synchronizeFolder(String)
    /// Gives a file a class, or a folder another one for new children.
    case setClass(String, ProtectionClass?)

    /// Locks the volume.
    case lock
    /// Unlocks it.
    case unlock
    /// Closes the volume and opens it again: before its first unlock.
    case reopen
    /// The process dies, without closing anything, and another one opens the volume.
    case kill
}

extension ModelOperation {
    /// Its name, without what it is done with.
    var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// How a file is opened.
public struct ModelOpening: Sendable, Hashable {
    /// The bits of `OpenOptions`.
    public var options: UInt8
    /// The class of a file that is made.
    public var protectionClass: ProtectionClass?
    /// The mode of a file that is made.
    public var mode: UInt32

    var openOptions: OpenOptions { OpenOptions(rawValue: options) }

    /// Whether the slot can be written.
    var isWritable: Bool { openOptions.contains(.write) }
}

/// Bytes that are made from a number, so that an operation stays short in print.
public struct ModelBytes: Sendable, Hashable {
    /// What they are made from.
    public var seed: UInt8
    /// How many.
    public var count: Int

    /// The bytes. None is zero: zeros are what holes read as.
    public var bytes: [UInt8] {
        (0..<count).map { index in
            let value: Int = index &* 7 &+ Int(seed) &* 31 &+ index / 251
            return UInt8(1 + value % 255)
        }
    }
}

/// Which attributes change.
public struct ModelChange: Sendable, Hashable {
    /// The mode.
    public var mode: UInt32?
    /// The owner, for root.
    public var owner: UInt32?
    /// The group, for root.
    public var group: UInt32?
    /// One of a few times that no clock shows.
    public var modification: ModelTime?
    /// The same.
    public var access: ModelTime?

    var attributeChange: AttributeChange {
        var change = AttributeChange()
        change.mode = mode
        change.owner = owner
        change.group = group
        change.modificationTime = modification.map { .time($0.fileTime) }
        change.accessTime = access.map { .time($0.fileTime) }
        return change
    }
}

/// A time that no clock shows.
public struct ModelTime: Sendable, Hashable {
    /// Which one, 0 to 3.
    public var number: Int

    static let all = (0..<4).map { ModelTime(number: $0) }

    var fileTime: FileTime {
        FileTime(
            seconds: 100_000_000 * Int64(number + 1),
            nanoseconds: number == 0 ? 0 : 123_456_789)
    }
}
