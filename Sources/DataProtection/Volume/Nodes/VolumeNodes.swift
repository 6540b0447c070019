internal import Cryptography
internal import Synchronization

/// The items of a volume by number. Everything it does is what `ProtectedVolume` does by path.
///
/// Its lock is the innermost but those of single nodes; the namespace lock comes before it.
package final class VolumeNodes: Sendable {
    package let volume: ProtectedVolume
    /// The top folder.
    package let root: VolumeNode
    let table: Mutex<Table>
    private let heldFolderCountMaximum: Int

    struct Table {
        var byNumber: [UInt64: VolumeNode] = [:]
        var byIdentity: [HostIdentity: VolumeNode] = [:]
        var nextNumber = VolumeNode.rootNumber + 1
        var heldFolderCount = 0
    }

    var core: VolumeCore { volume.core }

    /// Begins with the top folder alone.
    ///
    /// - Parameter heldFolderCountMaximum: how many folders may be held open, a descriptor each.
    package init(
        _ volume: ProtectedVolume, heldFolderCountMaximum: Int = 256
    ) throws(ProtectionError) {
        self.volume = volume
        self.heldFolderCountMaximum = heldFolderCountMaximum
        let core = volume.core
        let host = try onHost { () throws(HostError) in try core.store.root.attributes() }
        root = VolumeNode(number: VolumeNode.rootNumber, kind: .folder, identity: host.identity)
        root.state.withLock { $0.lookUpCount = 1 }
        var table = Table()
        table.byNumber[root.number] = root
        table.byIdentity[root.identity] = root
        self.table = Mutex(table)
    }

    /// The item with a number.
    package func node(_ number: UInt64) throws(ProtectionError) -> VolumeNode {
        if number == VolumeNode.rootNumber { return root }
        guard let node = table.withLock({ $0.byNumber[number] }) else { throw .itemIsGone }
        return node
    }

    /// All items that are known.
    package var all: [VolumeNode] { table.withLock { Array($0.byNumber.values) } }

    /// The number of a folder's inode on the host, or of the folder above it.
    package func inodeNumber(of node: VolumeNode, isAbove: Bool) -> UInt64 {
        guard isAbove else { return node.identity.inode }
        return node.state.withLock { $0.names.last?.parent.identity.inode } ?? node.identity.inode
    }

    /// Finds the item of a host file, or gives it a number; counts one look-up.
    func hold(
        _ host: HostIdentity, _ kind: ItemKind, named name: [UInt8], in parent: VolumeNode
    ) -> VolumeNode {
        table.withLock { table in
            let node: VolumeNode
            if let known = table.byIdentity[host], known.kind == kind {
                node = known
            } else {
                node = VolumeNode(number: table.nextNumber, kind: kind, identity: host)
                table.nextNumber += 1
                table.byNumber[node.number] = node
                table.byIdentity[host] = node
            }
            node.addName(name, in: parent)
            node.state.withLock { $0.lookUpCount += 1 }
            return node
        }
    }

    /// Takes look-ups back. An item without any is forgotten.
    package func forget(_ number: UInt64, count: UInt64) {
        guard number != VolumeNode.rootNumber else { return }
        table.withLock { table in
            guard let node = table.byNumber[number] else { return }
            let rest = node.state.withLock { state in
                state.lookUpCount -= min(count, state.lookUpCount)
                return state.lookUpCount
            }
            guard rest == 0 else { return }
            table.byNumber[number] = nil
            if table.byIdentity[node.identity] === node { table.byIdentity[node.identity] = nil }
            if node.state.withLock({ $0.folder.take() }) != nil { table.heldFolderCount -= 1 }
        }
    }

    /// A file that is as it was when it was last looked at, by all that the host tells; counts one
    /// look-up. Whoever opens it through an item has what was seen forgotten.
    private func seenFile(
        _ host: HostAttributes, _ changes: Int
    ) -> (VolumeNode, ItemAttributes)? {
        guard core.inodes.find(host.identity) == nil,
            let node = table.withLock({ $0.byIdentity[host.identity] }),
            let seen = node.noted(changes: changes), seen.host == host
        else { return nil }
        let isHeld = table.withLock { table in
            guard table.byNumber[node.number] === node else { return false }
            node.state.withLock { $0.lookUpCount += 1 }
            return true
        }
        guard isHeld else { return nil }
        var attributes = seen.attributes
        if let protectionClass = attributes.protectionClass {
            attributes.isSealed = !core.accessRules.allowsOpening(
                protectionClass, in: core.keyring.state)
        }
        return (node, attributes)
    }

    /// The class of a host file that is known as an item, if it cannot have changed.
    func notedClass(of identity: HostIdentity) -> ProtectionClass? {
        let changes = core.classChanges.load(ordering: .acquiring)
        let node = table.withLock { $0.byIdentity[identity] }
        return node?.noted(changes: changes)?.attributes.protectionClass
    }

    /// Takes an item's last name away: its host file's number may be another's soon.
    func leave(_ identity: HostIdentity, _ name: [UInt8], in parent: VolumeNode, isLast: Bool) {
        table.withLock { table in
            guard let node = table.byIdentity[identity] else { return }
            node.removeName(name, in: parent)
            if isLast { table.byIdentity[identity] = nil }
        }
    }

    /// Gives an item another name in the place of one.
    func move(
        _ identity: HostIdentity, from name: [UInt8], in parent: VolumeNode, to newName: [UInt8],
        in newParent: VolumeNode
    ) {
        guard let node = table.withLock({ $0.byIdentity[identity] }) else { return }
        node.removeName(name, in: parent)
        node.addName(newName, in: newParent)
    }
}

// MARK: - Under the namespace lock

extension VolumeNodes {
    /// The folder of a node.
    func folder(
        _ node: VolumeNode, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Folder {
        guard node.kind == .folder else { throw .notFolder }
        if node.number == VolumeNode.rootNumber { return try names.root(core, metadata) }
        if let folder = node.state.withLock({ $0.folder }) { return folder }
        guard let name = node.state.withLock({ $0.names.last }) else { throw .itemIsGone }
        let parent = try folder(name.parent, &names, metadata)
        let found = try names.child(named: name.name, of: parent, core, metadata)
        guard found.identity == node.identity else { throw .itemIsGone }
        keep(found, in: node)
        return found
    }

    /// Keeps a folder open with its node; too many are all closed, and opened again when needed.
    func keep(_ folder: Folder, in node: VolumeNode) {
        table.withLock { table in
            if node.state.withLock({ $0.folder != nil }) { return }
            if table.heldFolderCount >= heldFolderCountMaximum {
                for other in table.byNumber.values { other.state.withLock { $0.folder = nil } }
                table.heldFolderCount = 0
            }
            node.state.withLock { $0.folder = folder }
            table.heldFolderCount += 1
        }
    }

    /// The place of a name in a folder.
    func place(
        _ name: [UInt8], in parent: VolumeNode, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryPlace {
        let folder = try folder(parent, &names, metadata)
        try folder.require(.search)
        return EntryPlace(
            folder: folder, name: name,
            entry: try folder.entry(of: name, core: core, metadata: metadata),
            path: VolumePath(names: (parent.path ?? []) + [name]))
    }

    /// Where an item is: by the first of its names that still leads to it.
    func place(
        of node: VolumeNode, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> (EntryPlace, HostAttributes) {
        for name in node.state.withLock({ $0.names }).reversed() {
            let place = try place(name.name, in: name.parent, &names, metadata)
            if let host = try place.hostAttributes(), host.identity == node.identity {
                return (place, host)
            }
        }
        throw .itemIsGone
    }

    /// What a node is, for the operations that `ProtectedVolume` has by path.
    func item(
        _ node: VolumeNode, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Item {
        if node.kind == .folder { return .folder(try folder(node, &names, metadata)) }
        let (place, host) = try place(of: node, &names, metadata)
        return host.kind == .regular ? .file(place, host) : .other(place, host)
    }

    /// Tells of what is at a place, which was just made or looked at.
    func entry(
        at place: EntryPlace, in parent: VolumeNode, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> NodeEntry {
        let host = try onHost { () throws(HostError) in
            try place.folder.backing.attributes(of: place.entry.hostName)
        }
        let kind = ItemKind(host.kind)
        let item: Item
        switch host.kind {
        case .folder:
            item = .folder(try names.child(named: place.name, of: place.folder, core, metadata))
        case .regular: item = .file(place, host)
        default: item = .other(place, host)
        }
        let changes = core.classChanges.load(ordering: .acquiring)
        if case .file = item, let (node, attributes) = seenFile(host, changes) {
            node.addName(place.name, in: parent)
            return NodeEntry(node: node, attributes: attributes)
        }
        let attributes = try volume.attributes(of: item, metadata)
        let node = hold(host.identity, kind, named: place.name, in: parent)
        if case .folder(let folder) = item { keep(folder, in: node) }
        node.note(
            core.inodes.find(host.identity) == nil
                ? SeenFile(host, attributes, changes: changes) : nil)
        return NodeEntry(node: node, attributes: attributes)
    }
}
