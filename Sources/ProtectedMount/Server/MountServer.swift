internal import DataProtection
internal import Glibc
internal import Synchronization

/// Serves a volume to the kernel: unpacks nothing, decides nothing that the engine decides.
final class MountServer: Sendable {
    let volume: ProtectedVolume
    let nodes: VolumeNodes
    /// See `OperationSeam` for why it is a structure.
    struct PageDropper {
        var drop: (@Sendable (UInt64) -> Void)?
    }

    /// Takes the kernel's pages of a file back.
    let dropPages = Mutex(PageDropper())
    private let processUser = geteuid()
    private let processGroup = getegid()

    /// How long the kernel may believe what it was told of names and attributes, in seconds: a
    /// program that has the volume in its own process may change them without the kernel.
    static let timeout = 1.0

    init(
        _ volume: ProtectedVolume, heldFolderCountMaximum: Int
    ) throws(ProtectionError) {
        self.volume = volume
        nodes = try VolumeNodes(volume, heldFolderCountMaximum: heldFolderCountMaximum)
    }

    /// What a program is told of an error.
    func number(of error: ProtectionError) -> Int32 {
        // A handle of the kernel's is open whatever has become of the volume.
        error.code == .closed ? EIO : error.errorNumber
    }

    /// Whose a new item is; `nil` when the host makes it so by itself, or cannot be told.
    func owner(_ caller: (user: UInt32, group: UInt32)) -> NewOwner? {
        guard processUser == 0, caller.user != processUser || caller.group != processGroup else {
            return nil
        }
        return NewOwner(user: caller.user, group: caller.group)
    }

    /// How the kernel's flags open a file.
    static func options(_ flags: Int32) -> OpenOptions {
        var options: OpenOptions =
            switch flags & O_ACCMODE {
            case O_RDONLY: .read
            case O_WRONLY: .write
            default: .readWrite
            }
        // Linux empties a file that is opened for reading, too.
        if flags & O_TRUNC != 0 { options.formUnion([.write, .truncate]) }
        return options
    }
}

// MARK: - Names

extension MountServer {
    func look(up name: [UInt8], in parent: UInt64) throws(ProtectionError) -> NodeEntry {
        if ReservedName.isReserved(name) { throw .missing }
        return try nodes.look(up: name, in: try nodes.node(parent))
    }

    func makeFolder(
        _ name: [UInt8], in parent: UInt64, mode: UInt32, _ caller: (user: UInt32, group: UInt32)
    ) throws(ProtectionError) -> NodeEntry {
        let request = try ReservedName.read(name)
        return try nodes.makeFolder(
            request.name, in: try nodes.node(parent), class: request.protectionClass,
            mode: mode & 0o7777, for: owner(caller))
    }

    func makeNode(
        _ name: [UInt8], in parent: UInt64, mode: UInt32, deviceNumber: UInt64,
        _ caller: (user: UInt32, group: UInt32)
    ) throws(ProtectionError) -> NodeEntry {
        guard let kind = ItemKind(modeBits: mode) else {
            throw .invalidArgument("no such kind of file")
        }
        let parent = try nodes.node(parent)
        guard kind == .file else {
            try ReservedName.refuse(name)
            return try nodes.makeNode(
                name, in: parent, kind, mode: mode & 0o7777, deviceNumber: deviceNumber,
                for: owner(caller))
        }
        let request = try ReservedName.read(name)
        let (entry, file) = try nodes.create(
            request.name, in: parent, [.readWrite, .create, .exclusive],
            class: request.protectionClass, mode: mode & 0o7777, for: owner(caller))
        file.close()
        return entry
    }

    func makeSymbolicLink(
        _ name: [UInt8], in parent: UInt64, target: [UInt8],
        _ caller: (user: UInt32, group: UInt32)
    ) throws(ProtectionError) -> NodeEntry {
        try ReservedName.refuse(name)
        return try nodes.makeSymbolicLink(
            name, in: try nodes.node(parent), target: target, for: owner(caller))
    }

    func link(
        _ number: UInt64, as name: [UInt8], in parent: UInt64
    ) throws(ProtectionError) -> NodeEntry {
        try ReservedName.refuse(name)
        return try nodes.link(try nodes.node(number), as: name, in: try nodes.node(parent))
    }

    func rename(
        _ name: [UInt8], in parent: UInt64, to newName: [UInt8], in newParent: UInt64,
        flags: UInt32
    ) throws(ProtectionError) {
        let rule: RenameRule
        switch flags {
        case 0: rule = .replace
        case 1: rule = .exclusive
        case 2: rule = .exchange
        default: throw .invalidArgument("no such way to rename")
        }
        try ReservedName.refuse(newName)
        try nodes.rename(
            name, in: try nodes.node(parent), to: newName, in: try nodes.node(newParent),
            rule: rule)
    }
}

// MARK: - Files

extension MountServer {
    /// What a program gets that makes a file.
    struct Created {
        let entry: NodeEntry
        let handle: FileHandle
        /// How long the kernel may keep the name: not at all when it is a reserved one.
        let timeout: Double
    }

    func create(
        _ name: [UInt8], in parent: UInt64, mode: UInt32, flags: Int32,
        _ caller: (user: UInt32, group: UInt32)
    ) throws(ProtectionError) -> Created {
        let request = try ReservedName.read(name)
        var options = Self.options(flags).union(.create)
        if flags & O_EXCL != 0 { options.insert(.exclusive) }
        let (entry, file) = try nodes.create(
            request.name, in: try nodes.node(parent), options, class: request.protectionClass,
            mode: mode & 0o7777, for: owner(caller))
        return Created(
            entry: entry, handle: FileHandle(file, entry.node),
            timeout: request.protectionClass == nil ? Self.timeout : 0)
    }

    func open(
        _ number: UInt64, flags: Int32, clearsPrivileges: Bool
    ) throws(ProtectionError) -> FileHandle {
        let node = try nodes.node(number)
        let file = try nodes.open(node, Self.options(flags))
        if clearsPrivileges { try clearPrivileges(of: node) }
        return FileHandle(file, node)
    }

    /// Closes a file. The last one of class `completeUnlessOpen` is sealed with that while the
    /// volume is locked, and so are the kernel's pages of it.
    func close(_ handle: FileHandle) {
        let isUnlessOpen = handle.file.protectionClass == .completeUnlessOpen
        nodes.close(handle.file, of: handle.node)
        guard isUnlessOpen, !volume.availability(of: .completeUnlessOpen).canOpen,
            nodes.openClass(of: handle.node) == nil,
            let drop = dropPages.withLock({ $0.drop })
        else { return }
        let number = handle.node.number
        // The kernel may wait for this request's answer before it gives pages back.
        _ = startThread { drop(number) }
    }

    /// Takes the bits away that let a program act as its owner. See: 'man 2 write'.
    func clearPrivileges(of node: VolumeNode) throws(ProtectionError) {
        let mode = try nodes.attributes(of: node).mode
        guard mode & 0o6000 != 0 else { return }
        let cleared = mode & ~(mode & 0o010 == 0 ? 0o4000 : 0o6000)
        guard cleared != mode else { return }
        try nodes.setAttributes(AttributeChange(mode: cleared), of: node)
    }

    func setAttributes(
        _ number: UInt64, _ change: AttributeChange, size: Int64?, through handle: FileHandle?,
        clearsPrivileges: Bool
    ) throws(ProtectionError) -> ItemAttributes {
        let node = try nodes.node(number)
        if let size {
            if let handle {
                try handle.file.truncate(to: size)
            } else {
                try nodes.truncate(node, to: size)
            }
        }
        if clearsPrivileges { try clearPrivileges(of: node) }
        if change != AttributeChange() { try nodes.setAttributes(change, of: node) }
        return try nodes.attributes(of: node)
    }

    /// See: 'man 2 fallocate'.
    func allocate(
        _ handle: FileHandle, mode: Int32, offset: Int64, count: Int64
    ) throws(ProtectionError) {
        let (end, overflows) = offset.addingReportingOverflow(count)
        guard offset >= 0, count > 0, !overflows else {
            throw .invalidArgument("the range is empty or negative")
        }
        let (keepsSize, punchesHole, zeroesRange): (Int32, Int32, Int32) = (1, 2, 16)
        switch mode {
        case 0, keepsSize:
            try handle.file.allocate(offset..<end, keepsSize: mode == keepsSize)
        case punchesHole | keepsSize: try handle.file.punchHole(offset..<end)
        case zeroesRange, zeroesRange | keepsSize:
            try handle.file.zeroRange(offset..<end, keepsSize: mode & keepsSize != 0)
        default:
            throw ProtectionError(.notSupported, "ranges cannot be taken out or put in")
        }
    }

    /// See: 'man 2 lseek', SEEK_DATA and SEEK_HOLE.
    func seek(
        _ handle: FileHandle, from offset: Int64, toData: Bool
    ) throws(ProtectionError) -> Int64 {
        let found =
            toData
            ? try handle.file.nextData(from: offset) : try handle.file.nextHole(from: offset)
        guard let found else {
            throw ProtectionError(
                .invalidArgument, "it is at the end of the file, or behind it", errorNumber: ENXIO)
        }
        return found
    }
}
