/// The folders of a memory store, as a value guarded by the store's one namespace lock.
struct MemoryNamespace: Sendable {
    /// One folder that has a name, or the top one.
    struct Folder: Sendable {
        /// Its inode.
        let node: MemoryNode
        /// The folder it is in; itself for the top one.
        var parent: UInt64
        /// What it holds.
        var entries: [HostNameKey: MemoryNode] = [:]
    }

    /// All folders, by inode. A folder that was removed is not here, though it may be open.
    var folders: [UInt64: Folder] = [:]
    /// The number the next inode gets.
    var nextInode: UInt64

    /// The entry of this name; `nil` when there is none.
    func find(_ name: String, in folder: UInt64) -> MemoryNode? {
        folders[folder]?.entries[HostNameKey(name)]
    }

    /// The entry of this name. Throws `ENOENT`.
    func entry(
        _ name: String, in folder: UInt64, call: String
    ) throws(HostError) -> MemoryNode {
        guard let node = find(name, in: folder) else {
            throw HostError(code: HostError.noSuchEntry, call: call)
        }
        return node
    }

    /// Refuses a name that is taken, and any name in a folder that was removed.
    func requireFree(_ name: String, in folder: UInt64, call: String) throws(HostError) {
        guard let folder = folders[folder] else {
            throw HostError(code: HostError.noSuchEntry, call: call)
        }
        if folder.entries[HostNameKey(name)] != nil {
            throw HostError(code: HostError.entryExists, call: call)
        }
    }

    /// Gives an entry a name that is free.
    mutating func insert(_ node: MemoryNode, as name: String, in folder: UInt64, time: HostTime) {
        folders[folder]?.entries[HostNameKey(name)] = node
        let isFolder = node.kind == .folder
        if isFolder, folders[node.inode] == nil {
            folders[node.inode] = Folder(node: node, parent: folder)
        }
        folders[node.inode]?.parent = folder
        folders[folder]?.node.touch(time, linkCountBy: isFolder ? 1 : 0, modifies: true)
    }

    /// Takes a name away, for good or to give the entry another.
    mutating func detach(_ node: MemoryNode, from name: String, in folder: UInt64, time: HostTime) {
        folders[folder]?.entries[HostNameKey(name)] = nil
        folders[folder]?.node.touch(
            time, linkCountBy: node.kind == .folder ? -1 : 0, modifies: true)
    }

    /// Gives an entry another name, also in another folder. See: 'man 2 link'.
    ///
    /// - Returns: the entry.
    mutating func link(
        _ source: Place, as target: Place, time: HostTime
    ) throws(HostError) -> MemoryNode {
        let node = try entry(source.name, in: source.folder, call: "linkat")
        try requireFree(target.name, in: target.folder, call: "linkat")
        guard node.kind != .folder else {
            throw HostError(code: HostError.notPermitted, call: "linkat")
        }
        insert(node, as: target.name, in: target.folder, time: time)
        node.touch(time, linkCountBy: 1)
        return node
    }

    /// Removes an entry; an open handle keeps its inode, and so does another name.
    mutating func remove(
        _ name: String, in folder: UInt64, isFolder: Bool, time: HostTime
    ) throws(HostError) {
        let node = try entry(name, in: folder, call: "unlinkat")
        if isFolder {
            guard node.kind == .folder else {
                throw HostError(code: HostError.notFolder, call: "unlinkat")
            }
            try requireEmpty(node, call: "unlinkat")
        } else if node.kind == .folder {
            throw HostError(code: HostError.isFolder, call: "unlinkat")
        }
        detach(node, from: name, in: folder, time: time)
        forget(node, time: time)
    }

    /// Ends an entry that has just lost its name.
    private mutating func forget(_ node: MemoryNode, time: HostTime) {
        if node.kind == .folder { folders[node.inode] = nil }
        node.touch(time, linkCountBy: node.kind == .folder ? -2 : -1)
    }

    private func requireEmpty(_ node: MemoryNode, call: String) throws(HostError) {
        guard folders[node.inode]?.entries.isEmpty ?? true else {
            throw HostError(code: HostError.notEmpty, call: call)
        }
    }
}

/// Renaming. See: 'man 2 rename'.
extension MemoryNamespace {
    /// One end of a rename.
    struct Place {
        /// The folder's inode.
        let folder: UInt64
        /// The name in it.
        let name: String
    }

    /// Renames an entry.
    ///
    /// - Returns: whether anything changed; not when both names are one entry.
    mutating func rename(
        _ source: Place, to target: Place, rule: HostRenameRule, time: HostTime
    ) throws(HostError) -> Bool {
        let call = "renameat2"
        let moved = try entry(source.name, in: source.folder, call: call)
        guard folders[target.folder] != nil else {
            throw HostError(code: HostError.noSuchEntry, call: call)
        }
        let existing = find(target.name, in: target.folder)
        if rule == .exclusive, existing != nil {
            throw HostError(code: HostError.entryExists, call: call)
        }
        if rule == .exchange, existing == nil {
            throw HostError(code: HostError.noSuchEntry, call: call)
        }
        try requireOutside(moved, target.folder)
        if rule == .exchange, let existing { try requireOutside(existing, source.folder) }
        if let existing, existing === moved { return false }
        if rule != .exchange, let existing {
            // What holds the source is never empty, and Linux says that first.
            guard !contains(existing, source.folder) else {
                throw HostError(code: HostError.notEmpty, call: call)
            }
            try requireReplaceable(existing, by: moved)
        }

        detach(moved, from: source.name, in: source.folder, time: time)
        if let existing { detach(existing, from: target.name, in: target.folder, time: time) }
        insert(moved, as: target.name, in: target.folder, time: time)
        moved.touch(time)
        if let existing {
            if rule == .exchange {
                insert(existing, as: source.name, in: source.folder, time: time)
                existing.touch(time)
            } else {
                forget(existing, time: time)
            }
        }
        return true
    }

    /// Refuses to move a folder into itself, or into what is below it.
    private func requireOutside(_ node: MemoryNode, _ folder: UInt64) throws(HostError) {
        if contains(node, folder) {
            throw HostError(code: HostError.invalidArgument, call: "renameat2")
        }
    }

    /// Whether an inode is a folder, or one above it.
    private func contains(_ node: MemoryNode, _ folder: UInt64) -> Bool {
        var current = folder
        while current != node.inode {
            guard let parent = folders[current]?.parent, parent != current else { return false }
            current = parent
        }
        return true
    }

    private func requireReplaceable(
        _ existing: MemoryNode, by moved: MemoryNode
    ) throws(HostError) {
        switch (moved.kind == .folder, existing.kind == .folder) {
        case (true, false): throw HostError(code: HostError.notFolder, call: "renameat2")
        case (false, true): throw HostError(code: HostError.isFolder, call: "renameat2")
        case (true, true): try requireEmpty(existing, call: "renameat2")
        case (false, false): break
        }
    }
}
