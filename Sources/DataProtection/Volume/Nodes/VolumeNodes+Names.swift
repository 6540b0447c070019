internal import Cryptography
internal import Synchronization

/// Names: what is found, made, moved and removed.
extension VolumeNodes {
    /// Finds what has a name in a folder.
    ///
    /// - Throws: `missing`, `notFolder`, `damaged`, `sealed` when names are private.
    package func look(
        up name: [UInt8], in parent: VolumeNode
    ) throws(ProtectionError) -> NodeEntry {
        try volume.withNames { names, metadata throws(ProtectionError) in
            try entry(
                at: try place(name, in: parent, &names, metadata), in: parent, &names, metadata)
        }
    }

    /// Makes a folder; see `ProtectedVolume.makeFolder`.
    package func makeFolder(
        _ name: [UInt8], in parent: VolumeNode, class protectionClass: ProtectionClass?,
        mode: UInt32, for owner: NewOwner?
    ) throws(ProtectionError) -> NodeEntry {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let place = try place(name, in: parent, &names, metadata)
            let above = try onHost { () throws(HostError) in
                try place.folder.backing.attributes()
            }
            // A folder takes the bit over, and the group with it. See: 'man 7 inode', S_ISGID.
            let inherited = above.mode & 0o2000
            var request = NewFile(protectionClass: protectionClass, mode: mode | inherited)
            request.owner = settled(owner, above)
            try volume.makeFolder(at: place, request, metadata)
            return try entry(at: place, in: parent, &names, metadata)
        }
    }

    /// The owner of what is made in a folder that gives its group to what is in it.
    func settled(_ owner: NewOwner?, _ folder: HostAttributes) -> NewOwner? {
        guard var owner, folder.mode & 0o2000 != 0 else { return owner }
        owner.group = nil
        return owner
    }

    /// Makes a symbolic link; see `ProtectedVolume.makeSymbolicLink`.
    package func makeSymbolicLink(
        _ name: [UInt8], in parent: VolumeNode, target: [UInt8], for owner: NewOwner?
    ) throws(ProtectionError) -> NodeEntry {
        try make(name, in: parent, for: owner) { place, metadata throws(ProtectionError) in
            try volume.makeSymbolicLink(at: place, target: target, metadata)
        }
    }

    /// Makes a fifo, a socket or a device; see `ProtectedVolume.makeNode`.
    package func makeNode(
        _ name: [UInt8], in parent: VolumeNode, _ kind: ItemKind, mode: UInt32,
        deviceNumber: UInt64, for owner: NewOwner?
    ) throws(ProtectionError) -> NodeEntry {
        try make(name, in: parent, for: owner) { place, _ throws(ProtectionError) in
            try volume.makeNode(at: place, kind, mode: mode, deviceNumber: deviceNumber)
        }
    }

    private func make(
        _ name: [UInt8], in parent: VolumeNode, for owner: NewOwner?,
        _ body: (EntryPlace, MetadataKeys) throws(ProtectionError) -> Void
    ) throws(ProtectionError) -> NodeEntry {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let place = try place(name, in: parent, &names, metadata)
            try body(place, metadata)
            if let owner {
                let folder = place.folder.backing
                let above = try onHost { () throws(HostError) in try folder.attributes() }
                let change = settled(owner, above)?.change(mode: nil)
                do throws(ProtectionError) {
                    try onHost { () throws(HostError) in
                        if let change {
                            try folder.setAttributes(change, of: place.entry.hostName)
                        }
                    }
                } catch {
                    try? folder.removeFile(place.entry.hostName)
                    throw error
                }
            }
            return try entry(at: place, in: parent, &names, metadata)
        }
    }

    /// Gives a file another name; see `ProtectedVolume.link`.
    package func link(
        _ node: VolumeNode, as name: [UInt8], in parent: VolumeNode
    ) throws(ProtectionError) -> NodeEntry {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let (from, host) = try place(of: node, &names, metadata)
            let to = try place(name, in: parent, &names, metadata)
            try volume.link(from, host, to: to, &names, metadata)
            return try entry(at: to, in: parent, &names, metadata)
        }
    }

    /// Removes a file; see `ProtectedVolume.removeFile`.
    package func removeFile(
        _ name: [UInt8], in parent: VolumeNode
    ) throws(ProtectionError) {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let place = try place(name, in: parent, &names, metadata)
            let host = try place.hostAttributes()
            if host?.kind == .folder { throw .isFolder }
            let known = host.flatMap { $0.kind == .regular ? notedClass(of: $0.identity) : nil }
            try volume.removeFile(at: place, host, known, &names, metadata)
            if let host {
                leave(host.identity, name, in: parent, isLast: host.linkCount <= 1)
            }
        }
    }

    /// Removes an empty folder; see `ProtectedVolume.removeFolder`.
    package func removeFolder(
        _ name: [UInt8], in parent: VolumeNode
    ) throws(ProtectionError) {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let place = try place(name, in: parent, &names, metadata)
            let host = try place.hostAttributes()
            if let host, host.kind != .folder { throw .notFolder }
            try volume.removeFolder(at: place, &names)
            if let host { leave(host.identity, name, in: parent, isLast: true) }
        }
    }

    /// Renames or moves; see `ProtectedVolume.rename`.
    package func rename(
        _ name: [UInt8], in parent: VolumeNode, to newName: [UInt8], in newParent: VolumeNode,
        rule: RenameRule
    ) throws(ProtectionError) {
        try volume.withNames { names, metadata throws(ProtectionError) -> Void in
            let from = try place(name, in: parent, &names, metadata)
            let to = try place(newName, in: newParent, &names, metadata)
            let source = try from.hostAttributes()
            let target = try to.hostAttributes()
            try volume.rename(from, to, rule: rule, keepsClass: false, &names, metadata)
            guard let source, source.identity != target?.identity else { return }
            if let target, rule == .exchange {
                move(target.identity, from: newName, in: newParent, to: name, in: parent)
            } else if let target {
                let isLast = target.kind == .folder || target.linkCount <= 1
                leave(target.identity, newName, in: newParent, isLast: isLast)
            }
            move(source.identity, from: name, in: parent, to: newName, in: newParent)
        }
    }

    /// A folder's entries, in no particular order; see `ProtectedVolume.list`.
    package func list(_ node: VolumeNode) throws(ProtectionError) -> [FolderEntry] {
        try volume.withNames { names, metadata throws(ProtectionError) in
            try volume.entries(of: try folder(node, &names, metadata), metadata)
        }
    }

    /// Makes the names in a folder durable; see `ProtectedVolume.synchronizeFolder`.
    package func synchronizeFolder(_ node: VolumeNode) throws(ProtectionError) {
        let held = try volume.withNames { names, metadata throws(ProtectionError) in
            try folder(node, &names, metadata)
        }
        try onHost { () throws(HostError) in try held.backing.sync() }
    }
}
