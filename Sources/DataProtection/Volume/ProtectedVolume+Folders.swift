internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Makes a folder. Allowed in every lock state.
    ///
    /// - Parameters:
    ///   - path: names from the top folder down, with `/` between; all but the last exist.
    ///   - protectionClass: the class that its new children get; `nil` takes over that of the
    ///     folder it is made in.
    ///   - mode: its permission bits.
    /// - Throws: `exists`, `missing`, `notFolder`, `invalidName`, `noSpace`.
    public func makeFolder(
        _ path: String, class protectionClass: ProtectionClass? = nil, mode: UInt32 = 0o700
    ) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            try withNames { names, metadata throws(ProtectionError) in
                guard let place = try names.entry(at: parsed, core, metadata) else { throw .exists }
                let request = NewFile(protectionClass: protectionClass, mode: mode)
                try makeFolder(at: place, request, metadata)
            }
        }
    }

    /// Makes a folder under the namespace lock.
    func makeFolder(
        at place: EntryPlace, _ request: NewFile, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        // A name that is taken is no change of the folder, not even of its times.
        try place.requireFree()
        try core.session.beginWriting(core.keyring)
        let record = FolderRecord(
            childClass: request.protectionClass ?? place.folder.childClass,
            identifier: SecureRandom.bytes(identifierByteCount),
            keptMode: KeptMode.ofFolder(request.mode))
        try build(record, as: place.entry, in: place.folder, request, metadata)
    }

    /// Builds a folder under a name that is swept after a crash, then gives it its own.
    private func build(
        _ record: FolderRecord, as entry: EntryName, in parent: Folder, _ request: NewFile,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        let temporary = ReservedName.random(ReservedName.new)
        do {
            try onHost { () throws(HostError) in
                try parent.backing.makeFolder(temporary, mode: request.mode | 0o700)
            }
            let backing = try onHost { () throws(HostError) in
                try parent.backing.openFolder(temporary)
            }
            try Folder.write(record, in: backing, core: core, metadata: metadata)
            if let owner = request.owner {
                let change = owner.change(mode: nil)
                try onHost { () throws(HostError) in
                    try backing.setAttributes(change, of: nil)
                }
            }
            try onHost { () throws(HostError) in
                try parent.making(entry) { () throws(HostError) in
                    try parent.backing.rename(
                        temporary, to: parent.backing, as: entry.hostName, rule: .exclusive)
                }
            }
        } catch {
            sweep(temporary, in: parent.backing)
            throw error
        }
    }

    /// Removes an empty folder. Allowed in every lock state.
    ///
    /// - Throws: `notEmpty`, `missing`, `notFolder`.
    public func removeFolder(_ path: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            try withNames { names, metadata throws(ProtectionError) in
                guard let place = try names.entry(at: parsed, core, metadata) else {
                    throw .invalidArgument("the top folder stays")
                }
                try removeFolder(at: place, &names)
            }
        }
    }

    /// Removes an empty folder under the namespace lock.
    func removeFolder(
        at place: EntryPlace, _ names: inout Namespace
    ) throws(ProtectionError) {
        let host = try place.hostAttributes()
        try place.requireRemovable(host)
        if host == nil { throw .missing }
        try removeFolder(place.entry, in: place.folder, &names)
    }

    /// Removes an empty folder by its host name: out of sight first, then piece by piece.
    func removeFolder(
        _ entry: EntryName, in parent: Folder, _ names: inout Namespace
    ) throws(ProtectionError) {
        let gone = ReservedName.random(ReservedName.gone)
        guard try isEmptyFolder(entry, in: parent) else { throw .notEmpty }
        try core.session.beginWriting(core.keyring)
        try onHost { () throws(HostError) in
            try parent.backing.rename(
                entry.hostName, to: parent.backing, as: gone, rule: .exclusive)
        }
        names.forgetFolders()
        parent.removeLongName(of: entry)
        sweep(gone, in: parent.backing)
    }

    /// Whether a folder has no entries; what is reserved does not count.
    func isEmptyFolder(_ entry: EntryName, in parent: Folder) throws(ProtectionError) -> Bool {
        try onHost { () throws(HostError) in
            try !parent.backing.openFolder(entry.hostName).list().contains {
                EntryName.isEntry($0.name)
            }
        }
    }

    /// Removes what is left of a folder that is out of sight. What stays is swept by a later
    /// repair.
    func sweep(_ hostName: String, in parent: any BackingFolder) {
        guard let backing = try? parent.openFolder(hostName) else { return }
        for entry in (try? backing.list()) ?? [] {
            if entry.kind != .folder {
                try? backing.removeFile(entry.name)
            } else if !EntryName.isEntry(entry.name) {
                sweep(entry.name, in: backing)  // itself half made or half removed
            }
        }
        try? parent.removeFolder(hostName)
    }

    /// Lists a folder. Allowed in every lock state, unless names are private.
    ///
    /// - Parameter path: empty, or `/`, for the top folder.
    /// - Returns: its entries, sorted by the bytes of their names.
    /// - Throws: `missing`, `notFolder`, `damaged`, `sealed`.
    public func list(_ path: String = "") throws(ProtectionError) -> [FolderEntry] {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            return try withNames {
                names, metadata throws(ProtectionError) in
                let folder = try names.folder(at: parsed.names, core, metadata)
                return try entries(of: folder, metadata)
                    .sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }
            }
        }
    }

    /// A folder's entries, in no particular order.
    func entries(
        of folder: Folder, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> [FolderEntry] {
        try folder.require(.list)
        let listed = try onHost { () throws(HostError) in try folder.backing.list() }
        return listed.filter { EntryName.isEntry($0.name) }.map {
            entry(for: $0, in: folder, metadata)
        }
    }

    private func entry(
        for host: HostEntry, in folder: Folder, _ metadata: MetadataKeys
    ) -> FolderEntry {
        let name = folder.name(of: host.name, core: core, metadata: metadata)
        return FolderEntry(
            nameBytes: name ?? Array(DamagedEntry.name(hostName: host.name).utf8),
            kind: ItemKind(host.kind), hasDamagedName: name == nil, identity: host.inode)
    }

    /// Makes the names in a folder durable: what was made, renamed or removed there.
    ///
    /// The corresponding C function is `fsync`, on the folder.
    public func synchronizeFolder(_ path: String = "") throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            let folder = try withNames { names, metadata throws(ProtectionError) in
                try names.folder(at: parsed.names, core, metadata)
            }
            try onHost { () throws(HostError) in try folder.backing.sync() }
        }
    }
}

/// One line of a folder's listing.
public struct FolderEntry: Sendable, Hashable {
    /// The name's bytes.
    public let nameBytes: [UInt8]
    /// What it is.
    public let kind: ItemKind
    /// Whether the name cannot be read; then `name` is a stand-in, under which it can be removed.
    public let hasDamagedName: Bool
    /// The number of its inode on the host, where that is told while listing; else 0.
    package let identity: UInt64

    /// The name as text; bytes that are not UTF-8 are replaced.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
}
