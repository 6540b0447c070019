internal import Cryptography
internal import Synchronization

/// What is known of a file or folder, in every lock state.
public struct ItemAttributes: Sendable, Hashable {
    /// What it is.
    public let kind: ItemKind
    /// A file's size, in bytes; 0 for anything else.
    public let size: Int64
    /// A file's class, or the class that a folder gives to new children; `nil` for a folder that
    /// has none of its own, and for links and devices.
    public let protectionClass: ProtectionClass?
    /// Whether its content cannot be read now for want of a key.
    public let isSealed: Bool
    /// What is wrong with it, in words; `nil` for nothing.
    public let damage: String?
    /// Permission bits.
    public let mode: UInt32
    /// How many names it has.
    public let linkCount: UInt64
    /// The owner's number.
    public let owner: UInt32
    /// The group's number.
    public let group: UInt32
    /// When its content last changed, in seconds since 1970.
    public let modificationTime: Int64
    /// Its size on the host, in bytes.
    public let hostByteCount: Int64
}

extension ProtectedVolume {
    /// The attributes of a file or folder. Allowed in every lock state, unless names are private.
    ///
    /// The size of a sealed file is what its last page says, unauthenticated until the file can be
    /// opened.
    /// - Throws: `missing`, `notFolder`, `sealed` when names are private. A damaged file throws
    ///   nothing.
    public func attributes(of path: String) throws(ProtectionError) -> ItemAttributes {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            return try withNames { names, metadata throws(ProtectionError) in
                guard let name = parsed.last else {
                    let root = try names.root(core, metadata)
                    let host = try onHost { () throws(HostError) in
                        try root.backing.attributes()
                    }
                    return ItemAttributes(host, protectionClass: root.childClass)
                }
                let folder = try names.folder(at: parsed.names.dropLast(), core, metadata)
                let entry = try folder.entry(of: name, core: core, metadata: metadata)
                let host = try onHost { () throws(HostError) in
                    try folder.backing.attributes(of: entry.hostName)
                }
                switch host.kind {
                case .folder:
                    let child = try names.child(named: name, of: folder, core, metadata)
                    return ItemAttributes(
                        host, protectionClass: child.childClass,
                        damage: child.isLost ? ProtectionError.lostNames.message : nil)
                case .regular:
                    return try attributes(ofFile: entry, in: folder, host, metadata)
                default:
                    return ItemAttributes(host, protectionClass: nil)
                }
            }
        }
    }

    private func attributes(
        ofFile entry: EntryName, in folder: Folder, _ host: HostAttributes, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> ItemAttributes {
        if let inode = core.inodes.find(host.identity) {
            return inode.state.withLock { state in
                ItemAttributes(
                    host, size: state.size, header: state.header, damage: nil, core, metadata)
            }
        }
        let (file, _) = try openHost(entry, in: folder)
        do throws(ProtectionError) {
            var inspection = try FileInspection(file, session: core.session)
            guard let header = inspection.header else {
                return ItemAttributes(
                    host, protectionClass: classWithoutHeader(file, in: folder))
            }
            try inspection.estimate(file, session: core.session)
            return ItemAttributes(
                host, size: inspection.size, header: header, damage: nil, core, metadata)
        } catch  where error.code == .damaged {
            return ItemAttributes(
                host, size: 0, header: nil, damage: error.message, core, metadata)
        }
    }
}

extension ItemAttributes {
    /// Something that is no file with a header.
    init(_ host: HostAttributes, protectionClass: ProtectionClass?, damage: String? = nil) {
        self.init(
            kind: ItemKind(host.kind), size: 0, protectionClass: protectionClass, isSealed: false,
            damage: damage, mode: host.mode, linkCount: host.linkCount, owner: host.owner,
            group: host.group, modificationTime: host.modificationTime.seconds,
            hostByteCount: host.byteCount)
    }

    /// A file.
    init(
        _ host: HostAttributes, size: Int64, header: FileHeader?, damage: String?,
        _ core: VolumeCore, _ metadata: MetadataKeys
    ) {
        var damage = damage
        var mode = host.mode
        if let header {
            if (try? header.verifiesMode(key: metadata.modeKey)) == true {
                mode = header.keptMode ?? mode
            } else {
                damage = "the kept mode is not the one that was written"
            }
        }
        let isOpenable =
            header.map {
                core.accessRules.allowsOpening($0.protectionClass, in: core.keyring.state)
            } ?? true
        self.init(
            kind: .file, size: size, protectionClass: header?.protectionClass,
            isSealed: !isOpenable, damage: damage, mode: mode, linkCount: host.linkCount,
            owner: host.owner, group: host.group,
            modificationTime: host.modificationTime.seconds, hostByteCount: host.byteCount)
    }
}
