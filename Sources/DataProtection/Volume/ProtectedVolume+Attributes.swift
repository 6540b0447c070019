internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// The attributes of a file or folder. Allowed in every lock state, unless names are private.
    ///
    /// The size of a sealed file is what its last page says, unauthenticated until the file can be
    /// opened.
    /// - Parameters:
    ///   - path: names from the top folder down, with `/` between.
    ///   - followingLinks: whether a symbolic link that is the last name is followed.
    /// - Throws: `missing`, `notFolder`, `sealed` when names are private. A damaged file throws
    ///   nothing.
    public func attributes(
        of path: String, followingLinks: Bool = false
    ) throws(ProtectionError) -> ItemAttributes {
        try withItem(path, followingLinks: followingLinks) {
            item, metadata throws(ProtectionError) in try attributes(of: item, metadata)
        }
    }

    func attributes(
        of item: Item, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> ItemAttributes {
        switch item {
        case .folder(let folder):
            let host = try onHost { () throws(HostError) in try folder.backing.attributes() }
            return ItemAttributes(
                host, protectionClass: core.told(folder.childClass),
                damage: folder.loss.map { ProtectionError.lostNames($0).message },
                mode: folder.keptMode)
        case .file(let place, let host):
            return try attributes(ofFile: place.entry, in: place.folder, host, metadata)
        case .other(_, let host):
            return ItemAttributes(host, size: Self.targetByteCount(host))
        }
    }

    /// The length of a link's target, which the host knows only sealed.
    private static func targetByteCount(_ host: HostAttributes) -> Int64 {
        guard host.kind == .symlink else { return 0 }
        return max(0, host.byteCount * 3 / 4 - Int64(SealedValue.overheadByteCount))
    }

    func attributes(
        ofFile entry: EntryName, in folder: Folder, _ host: HostAttributes, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> ItemAttributes {
        if let inode = core.inodes.find(host.identity) {
            return inode.state.withSharedLock { $0.attributes(host, core, metadata) }
        }
        let (file, _) = try openHost(entry, in: folder)
        do throws(ProtectionError) {
            var inspection = try FileInspection(file, session: core.session)
            guard let header = inspection.header else {
                return ItemAttributes(
                    host, protectionClass: core.told(classWithoutHeader(file, in: folder)))
            }
            try inspection.estimate(file, session: core.session)
            return ItemAttributes(host, size: inspection.size, header: header, core, metadata)
        } catch {
            guard error.code == .damaged else { throw error }
            return ItemAttributes(host, damage: error.message)
        }
    }

    /// Changes attributes of a file or folder. Allowed in every lock state.
    ///
    /// - Parameters:
    ///   - change: what to change.
    ///   - path: names from the top folder down, with `/` between.
    ///   - followingLinks: whether a symbolic link that is the last name is followed. The mode of a
    ///     link itself cannot be changed.
    /// - Throws: `missing`, `forbidden`, `invalidArgument`, `notSupported`, `damaged`.
    public func setAttributes(
        _ change: AttributeChange, of path: String, followingLinks: Bool = true
    ) throws(ProtectionError) {
        try withItem(path, followingLinks: followingLinks) {
            item, metadata throws(ProtectionError) in
            let change = try change.checked()
            try core.session.beginWriting(core.keyring)
            switch item {
            case .folder(let folder):
                try folder.setAttributes(change, core, metadata)
            case .file(let place, let host):
                try setAttributes(change, ofFile: place, host, metadata)
            case .other(let place, _):
                try onHost { () throws(HostError) in
                    try place.folder.backing.setAttributes(change, of: place.entry.hostName)
                }
            }
        }
    }

    func setAttributes(
        _ change: HostAttributeChange, ofFile place: EntryPlace, _ host: HostAttributes,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        if let inode = core.inodes.find(host.identity) {
            return try inode.setAttributes(change, metadata)
        }
        guard change.mode != nil || change.owner != nil || change.group != nil else {
            return try onHost { () throws(HostError) in
                try place.folder.backing.setAttributes(change, of: place.entry.hostName)
            }
        }
        // Nobody opens it meanwhile: that takes the namespace's lock.
        let (file, _) = try openHost(place.entry, in: place.folder)
        guard let header = try FileInspection(file, session: core.session).header else {
            var change = change
            change.mode = change.mode.map { $0 | 0o600 }
            return try onHost { () throws(HostError) in try file.setAttributes(change) }
        }
        var state = Inode.State(file: file, header: header, key: nil, size: 0)
        try state.setAttributes(change, core, metadata)
    }
}

/// What a path leads to.
enum Item {
    /// A folder, with what it knows of itself.
    case folder(Folder)
    /// A regular file of the host.
    case file(EntryPlace, HostAttributes)
    /// A symbolic link, a fifo, a socket or a device.
    case other(EntryPlace, HostAttributes)
}

extension ProtectedVolume {
    /// Runs an operation on what a path leads to, under the namespace lock.
    func withItem<Result>(
        _ path: String, followingLinks: Bool,
        _ body: (Item, MetadataKeys) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            return try withNames {
                names, metadata throws(ProtectionError) in
                let found =
                    followingLinks
                    ? try names.target(of: parsed, core, metadata)
                    : try names.entry(at: parsed, core, metadata)
                guard let found else {
                    return try body(.folder(try names.root(core, metadata)), metadata)
                }
                let host = try onHost { () throws(HostError) in
                    try found.folder.backing.attributes(of: found.entry.hostName)
                }
                switch host.kind {
                case .folder:
                    let folder = try names.child(
                        named: found.name, of: found.folder, core, metadata)
                    return try body(.folder(folder), metadata)
                case .regular: return try body(.file(found, host), metadata)
                default: return try body(.other(found, host), metadata)
                }
            }
        }
    }
}

extension ItemAttributes {
    /// A file, by its header.
    init(
        _ host: HostAttributes, size: Int64, header: FileHeader, _ core: VolumeCore,
        _ metadata: MetadataKeys
    ) {
        let isAuthentic = (try? header.verifiesMode(key: metadata.modeKey)) == true
        self.init(
            host, size: size, protectionClass: core.told(header.protectionClass),
            isSealed: !core.accessRules.allowsOpening(
                header.protectionClass, in: core.keyring.state),
            damage: isAuthentic ? nil : ProtectionError.damagedMode.message,
            mode: isAuthentic ? header.keptMode : nil)
    }
}
