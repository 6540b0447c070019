internal import Cryptography
internal import Synchronization

/// What is known of an item, and its `user.*` attributes.
extension VolumeNodes {
    /// The attributes; see `ProtectedVolume.attributes`.
    package func attributes(of node: VolumeNode) throws(ProtectionError) -> ItemAttributes {
        if let inode = core.inodes.find(node.identity) { return try inode.attributes() }
        return try volume.withNames { names, metadata throws(ProtectionError) in
            try volume.attributes(of: try item(node, &names, metadata), metadata)
        }
    }

    /// Changes attributes; see `ProtectedVolume.setAttributes`.
    package func setAttributes(
        _ change: AttributeChange, of node: VolumeNode
    ) throws(ProtectionError) {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let change = try change.checked()
            node.note(nil)
            try core.session.beginWriting(core.keyring)
            if let inode = core.inodes.find(node.identity) {
                return try inode.setAttributes(change, metadata)
            }
            switch try item(node, &names, metadata) {
            case .folder(let folder): try folder.setAttributes(change, core, metadata)
            case .file(let place, let host):
                try volume.setAttributes(change, ofFile: place, host, metadata)
            case .other(let place, _):
                try onHost { () throws(HostError) in
                    try place.folder.backing.setAttributes(change, of: place.entry.hostName)
                }
            }
        }
    }

    /// Where a symbolic link leads.
    package func target(of node: VolumeNode) throws(ProtectionError) -> [UInt8] {
        try volume.withNames { names, metadata throws(ProtectionError) in
            let (place, _) = try place(of: node, &names, metadata)
            return try place.folder.linkTarget(place.entry, core, metadata)
        }
    }

    /// The class: a file's own, or the one that a folder gives; `nil` when it has none.
    ///
    /// - Throws: `damaged` when it cannot be known.
    package func protectionClass(of node: VolumeNode) throws(ProtectionError) -> ProtectionClass? {
        let attributes = try attributes(of: node)
        if let damage = attributes.damage, attributes.protectionClass == nil {
            throw .damaged(damage)
        }
        return attributes.protectionClass
    }

    /// Sets it; see `ProtectedVolume.setProtectionClass`.
    package func setProtectionClass(
        _ protectionClass: ProtectionClass?, of node: VolumeNode
    ) throws(ProtectionError) {
        try volume.withNames { names, metadata throws(ProtectionError) in
            node.note(nil)
            try core.session.beginWriting(core.keyring)
            var protectionClass = protectionClass
            if let asked = protectionClass, let path = node.path {
                protectionClass = try volume.classByPolicy(asked, at: path, &names, metadata)
            }
            if let inode = core.inodes.find(node.identity) {
                guard let protectionClass else { throw .classlessThing }
                return try inode.setClass(protectionClass)
            }
            switch try item(node, &names, metadata) {
            case .folder(let folder):
                try volume.setChildClass(protectionClass, of: folder, metadata)
            case .file(let place, _):
                guard let protectionClass else { throw .classlessThing }
                if (try? volume.classOfFile(place)) == protectionClass { return }
                try volume.setClass(protectionClass, of: place.entry, in: place.folder)
            case .other: throw .classlessThing
            }
        }
    }

    /// The names of the `user.*` attributes, without `user.`.
    package func userAttributeNames(of node: VolumeNode) throws(ProtectionError) -> [[UInt8]] {
        try withAttributes(of: node, to: nil) { attributes throws(ProtectionError) in
            try attributes.names()
        }
    }

    /// A value; `nil` when it is not set. See `ProtectedVolume.userAttribute`.
    package func userAttribute(
        _ name: [UInt8], of node: VolumeNode
    ) throws(ProtectionError) -> [UInt8]? {
        try withAttributes(of: node, to: .list) { attributes throws(ProtectionError) in
            try attributes.value(of: name)
        }
    }

    /// Sets one; see `ProtectedVolume.setUserAttribute`.
    package func setUserAttribute(
        _ name: [UInt8], to value: [UInt8], of node: VolumeNode, rule: UserAttributeRule
    ) throws(ProtectionError) {
        try withAttributes(of: node, to: .write) { attributes throws(ProtectionError) in
            try core.session.beginWriting(core.keyring)
            try attributes.set(name, to: value, rule)
        }
    }

    /// Takes one away; see `ProtectedVolume.removeUserAttribute`.
    package func removeUserAttribute(
        _ name: [UInt8], of node: VolumeNode
    ) throws(ProtectionError) {
        try withAttributes(of: node, to: .write) { attributes throws(ProtectionError) in
            try core.session.beginWriting(core.keyring)
            try attributes.remove(name)
        }
    }

    private func withAttributes<Result>(
        of node: VolumeNode, to use: Folder.Use?,
        _ body: (SealedAttributes) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        try volume.withNames { names, metadata throws(ProtectionError) in
            if let inode = core.inodes.find(node.identity) {
                let host = inode.state.withSharedLock { $0.file.userAttributes }
                return try body(SealedAttributes(host: host, core: core, metadata: metadata))
            }
            let item = try item(node, &names, metadata)
            return try body(try volume.sealedAttributes(of: item, to: use, metadata))
        }
    }
}
