internal import Synchronization

/// A folder of a memory store, held open.
final class MemoryStoreFolder: BackingFolder {
    private let node: MemoryNode
    private let store: MemoryStore
    private let name: String

    /// Opens an inode.
    init(_ node: MemoryNode, in store: MemoryStore, name: String) {
        self.node = node
        self.store = store
        self.name = name
    }

    func attributes() throws(HostError) -> HostAttributes {
        try store.willCall(.folderAttributes, name)
        return node.attributes(device: store.device)
    }

    func attributes(of name: String) throws(HostError) -> HostAttributes {
        try find(name, .attributesOfEntry, "fstatat").attributes(device: store.device)
    }

    func list() throws(HostError) -> [HostEntry] {
        try store.willCall(.list, name)
        return store.namespace.withLock { namespace in
            let entries = namespace.folders[node.inode]?.entries ?? [:]
            return entries.map { HostEntry(name: $0.key.name, kind: $0.value.kind) }
        }
    }

    func openFile(_ name: String, writable: Bool) throws(HostError) -> any BackingFile {
        let node = try find(name, .openFile, "openat")
        switch node.kind {
        case .symlink: throw HostError(code: HostError.symbolicLink, call: "openat")
        case .folder: throw HostError(code: HostError.isFolder, call: "openat")
        case .regular:
            return MemoryStoreFile(node, in: store, name: name, writable: writable)
        case .fifo, .socket, .characterDevice, .blockDevice:
            throw HostError(code: HostError.invalidArgument, call: "openat")
        }
    }

    func createFile(_ name: String, mode: UInt32) throws(HostError) -> any BackingFile {
        let node = try make(name, .createFile, "openat", kind: .regular, mode: mode)
        return MemoryStoreFile(node, in: store, name: name, writable: true)
    }

    func openFolder(_ name: String) throws(HostError) -> any BackingFolder {
        let node = try find(name, .openFolder, "openat")
        guard node.kind == .folder else {
            throw HostError(code: HostError.notFolder, call: "openat")
        }
        return MemoryStoreFolder(node, in: store, name: name)
    }

    func makeFolder(_ name: String, mode: UInt32) throws(HostError) {
        _ = try make(name, .makeFolder, "mkdirat", kind: .folder, mode: mode)
    }

    func makeNode(
        _ name: String, kind: HostKind, mode: UInt32, device: UInt64
    ) throws(HostError) {
        guard kind.nodeType != nil, !kind.isDevice || device <= UInt32.max else {
            try store.willCall(.makeNode, name)
            throw HostError(code: HostError.invalidArgument, call: "mknodat")
        }
        _ = try make(
            name, .makeNode, "mknodat", kind: kind, mode: mode,
            device: kind.isDevice ? device : 0)
    }

    func makeLink(
        of name: String, in folder: any BackingFolder, as newName: String
    ) throws(HostError) {
        try store.willCall(.makeLink, name)
        try HostName.check(name, call: "linkat")
        try HostName.check(newName, call: "linkat")
        let target = try place(newName, in: folder, "linkat")
        try store.namespace.withLock { (namespace) throws(HostError) in
            let time = store.time()
            let linked = try namespace.link(
                MemoryNamespace.Place(folder: node.inode, name: name), as: target, time: time)
            store.didChange(
                .link(
                    folder: target.folder, name: newName, inode: linked.inode, time: time))
        }
    }

    func makeSymlink(_ name: String, target: String) throws(HostError) {
        _ = try make(name, .makeSymlink, "symlinkat", kind: .symlink, mode: 0o777, target: target)
    }

    func readSymlink(_ name: String) throws(HostError) -> String {
        let node = try find(name, .readSymlink, "readlinkat")
        guard node.kind == .symlink else {
            throw HostError(code: HostError.invalidArgument, call: "readlinkat")
        }
        return node.target
    }

    func removeFile(_ name: String) throws(HostError) {
        try remove(name, .removeFile, isFolder: false)
    }

    func removeFolder(_ name: String) throws(HostError) {
        try remove(name, .removeFolder, isFolder: true)
    }

    func rename(
        _ name: String, to folder: any BackingFolder, as newName: String, rule: HostRenameRule
    ) throws(HostError) {
        try store.willCall(.rename, name)
        try HostName.check(name, call: "renameat2")
        try HostName.check(newName, call: "renameat2")
        let target = try place(newName, in: folder, "renameat2")
        try store.namespace.withLock { (namespace) throws(HostError) in
            let time = store.time()
            let changed = try namespace.rename(
                MemoryNamespace.Place(folder: node.inode, name: name),
                to: target, rule: rule, time: time)
            guard changed else { return }
            store.didChange(
                .rename(
                    folder: node.inode, name: name, newFolder: target.folder, newName: newName,
                    isExchange: rule == .exchange, time: time))
        }
    }

    func setAttributes(_ change: HostAttributeChange, of name: String?) throws(HostError) {
        try store.willCall(.setAttributesInFolder, name ?? self.name)
        guard let name else { return try node.apply(change, in: store) }
        try HostName.check(name, call: "utimensat")
        try change.check(call: "utimensat")
        if change == HostAttributeChange() { return }
        // The namespace stays as it is until the change is told.
        try store.namespace.withLock { (namespace) throws(HostError) in
            try namespace.entry(name, in: node.inode, call: "utimensat").apply(change, in: store)
        }
    }

    var userAttributes: any BackingAttributes {
        MemoryUserAttributes(node: node, store: store, name: name)
    }

    func sync() throws(HostError) {
        try store.willCall(.syncFolder, name)
        store.namespace.withLock { _ in store.didChange(.syncFolder(inode: node.inode)) }
    }
}

/// What several calls share.
extension MemoryStoreFolder {
    /// Looks up an entry.
    private func find(
        _ name: String, _ operation: HostCall.Operation, _ call: String
    ) throws(HostError) -> MemoryNode {
        try store.willCall(operation, name)
        try HostName.check(name, call: call)
        return try store.namespace.withLock { (namespace) throws(HostError) in
            try namespace.entry(name, in: node.inode, call: call)
        }
    }

    /// Where a name is in a folder of this store. Throws `EXDEV` for another store's.
    private func place(
        _ name: String, in folder: any BackingFolder, _ call: String
    ) throws(HostError) -> MemoryNamespace.Place {
        guard let folder = folder as? MemoryStoreFolder, folder.store === store else {
            throw HostError(code: HostError.crossDevice, call: call)
        }
        return MemoryNamespace.Place(folder: folder.node.inode, name: name)
    }

    /// Makes an entry of any kind.
    private func make(
        _ name: String, _ operation: HostCall.Operation, _ call: String, kind: HostKind,
        mode: UInt32, target: String = "", device: UInt64 = 0
    ) throws(HostError) -> MemoryNode {
        try store.willCall(operation, name)
        try HostName.check(name, call: call)
        if kind == .symlink { try HostName.check(target: target, call: call) }
        return try store.namespace.withLock { (namespace) throws(HostError) in
            try namespace.requireFree(name, in: node.inode, call: call)
            guard store.usedSpace.takeAll(1, of: MemorySpace.entryByteCount) else {
                throw HostError(code: HostError.noSpace, call: call)
            }
            let time = store.time()
            // 'man 7 inode': a folder with this bit gives its group to what is made in it.
            let group = node.state.withLock { state in
                state.status.mode & 0o2000 == 0 ? store.group : state.status.group
            }
            let image = MemoryImage.Node(
                inode: namespace.nextInode, kind: kind,
                status: MemoryStatus(
                    mode: mode & 0o7777, owner: store.owner, group: group, time: time),
                deviceNumber: device, target: target)
            namespace.nextInode += 1
            let made = MemoryNode(image, linkCount: kind == .folder ? 2 : 1, store.usedSpace)
            namespace.insert(made, as: name, in: node.inode, time: time)
            store.didChange(.create(folder: node.inode, name: name, node: image))
            return made
        }
    }

    private func remove(
        _ name: String, _ operation: HostCall.Operation, isFolder: Bool
    ) throws(HostError) {
        try store.willCall(operation, name)
        try HostName.check(name, call: "unlinkat")
        try store.namespace.withLock { (namespace) throws(HostError) in
            let time = store.time()
            try namespace.remove(name, in: node.inode, isFolder: isFolder, time: time)
            store.didChange(.remove(folder: node.inode, name: name, time: time))
        }
    }
}
