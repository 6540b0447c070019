internal import Synchronization

/// A store as a value, and back.
extension MemoryStore {
    /// All that the store holds now. Files that are open but have no name are left out.
    package func image() -> MemoryImage {
        namespace.withLock { namespace in
            var nodes: [UInt64: MemoryImage.Node] = [:]
            for folder in namespace.folders.values {
                var image = folder.node.image()
                for (name, node) in folder.entries {
                    image.entries[name] = node.inode
                    if node.kind != .folder { nodes[node.inode] = node.image() }
                }
                nodes[folder.node.inode] = image
            }
            return MemoryImage(
                device: device, nextInode: namespace.nextInode, root: top.inode, nodes: nodes)
        }
    }

    /// Makes the inodes and names of an image.
    static func build(
        _ image: MemoryImage, _ space: MemorySpace
    ) -> (namespace: MemoryNamespace, top: MemoryNode) {
        var namespace = MemoryNamespace(nextInode: image.nextInode)
        var nodes: [UInt64: MemoryNode] = [:]
        let nameCounts = image.nameCounts()
        for node in image.nodes.values {
            space.claim(
                MemorySpace.entryByteCount
                    + node.content.pageCount * Int64(MemoryContent.pageByteCount))
            let folderCount = node.entries.values.count { image.nodes[$0]?.kind == .folder }
            nodes[node.inode] = MemoryNode(
                node,
                linkCount: node.kind == .folder
                    ? UInt64(2 + folderCount) : nameCounts[node.inode] ?? 0,
                space)
        }
        for node in image.nodes.values where node.kind == .folder {
            guard let folder = nodes[node.inode] else { continue }
            let entries = node.entries.compactMapValues { nodes[$0] }
            namespace.folders[node.inode] = MemoryNamespace.Folder(
                node: folder, parent: node.inode, entries: entries)
        }
        for node in image.nodes.values {
            for inode in node.entries.values {
                namespace.folders[inode]?.parent = node.inode
            }
        }
        guard let top = nodes[image.root] else {
            preconditionFailure("An image holds its top folder.")
        }
        return (namespace, top)
    }
}
