internal import Cryptography
internal import Synchronization

/// Files: made and opened.
extension VolumeNodes {
    /// Opens a file that is there; see `ProtectedVolume.openFile`.
    package func open(
        _ node: VolumeNode, _ options: OpenOptions
    ) throws(ProtectionError) -> ProtectedFile {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let inode = try hold(node, &names, metadata)
            do throws(ProtectionError) {
                try inode.requireMode(options)
                if options.contains(.truncate) { try inode.emptyAtOpen() }
            } catch {
                _ = core.inodes.release(inode)
                throw error
            }
            return ProtectedFile(inode: inode, options: options)
        }
    }

    /// Holds a file's inode, which also works for an open file without a name.
    private func hold(
        _ node: VolumeNode, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Inode {
        node.note(nil)
        if let inode = core.inodes.holdIfOpen(node.identity) {
            do throws(ProtectionError) {
                try core.requireOpening(inode.protectionClass)
                return inode
            } catch {
                _ = core.inodes.release(inode)
                throw error
            }
        }
        let (place, _) = try place(of: node, &names, metadata)
        let inode = try volume.holdExisting(place.entry, in: place.folder)
        guard inode.identity == node.identity else {
            _ = core.inodes.release(inode)
            throw .itemIsGone
        }
        return inode
    }

    /// Makes a file, or opens the one that has the name; see `ProtectedVolume.openFile`.
    package func create(
        _ name: [UInt8], in parent: VolumeNode, _ options: OpenOptions,
        class protectionClass: ProtectionClass?, mode: UInt32, for owner: NewOwner?
    ) throws(ProtectionError) -> (NodeEntry, ProtectedFile) {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let place = try place(name, in: parent, &names, metadata)
            var request = NewFile(protectionClass: protectionClass, mode: mode)
            if let owner {
                let above = try onHost { () throws(HostError) in
                    try place.folder.backing.attributes()
                }
                request.owner = settled(owner, above)
            }
            let inode = try volume.open(place, options, request, &names, metadata)
            let file = ProtectedFile(inode: inode, options: options)
            let attributes = try inode.attributes()
            let node = hold(inode.identity, .file, named: name, in: parent)
            node.note(nil)
            return (NodeEntry(node: node, attributes: attributes), file)
        }
    }

    /// Closes a file, and notes what it is like then: whoever asks next hears it without a look at
    /// the header.
    package func close(_ file: ProtectedFile, of node: VolumeNode) {
        let changes = core.classChanges.load(ordering: .acquiring)
        let seen = file.inode.seen(changes: changes)
        file.close()
        if core.inodes.find(node.identity) == nil { node.note(seen) }
    }

    /// Whether somebody holds a file open, and in which class; `nil` when nobody does.
    package func openClass(of node: VolumeNode) -> ProtectionClass? {
        core.inodes.find(node.identity)?.protectionClass
    }

    /// Cuts or extends a file that need not be open; see `ProtectedFile.truncate`.
    package func truncate(_ node: VolumeNode, to size: Int64) throws(ProtectionError) {
        guard node.kind == .file else {
            throw node.kind == .folder ? .isFolder : .invalidArgument("it is no file")
        }
        let inode = try volume.withNames { names, metadata throws(ProtectionError) in
            try hold(node, &names, metadata)
        }
        defer { _ = core.inodes.release(inode) }
        try inode.truncate(to: size)
    }
}
