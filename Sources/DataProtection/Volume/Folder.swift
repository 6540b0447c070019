internal import Cryptography
internal import Synchronization

/// One folder of the volume, open on the host, with its record.
final class Folder: Sendable {
    /// The host folder.
    let backing: any BackingFolder
    /// Which host folder it is.
    let identity: HostIdentity
    /// To which the names in it are bound; never changes.
    let identifier: [UInt8]
    let state: Mutex<State>

    /// What changes about a folder.
    struct State {
        var childClass: ProtectionClass?
        var keptMode: UInt32?
        var owner: UInt32
    }

    /// The class of new children; `nil` when none was chosen.
    var childClass: ProtectionClass? { state.withLock { $0.childClass } }

    /// The permission bits, where the host's folder cannot have them.
    var keptMode: UInt32? { state.withLock { $0.keptMode } }

    /// What became of the record if it is missing or not authentic; `nil` when it is whole. The
    /// names in the folder are lost with it; what is in it can still be listed, read and removed
    /// under stand-ins for them.
    let loss: FolderLoss?

    /// Opens a folder and reads its record.
    init(
        _ backing: any BackingFolder, core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) {
        let record = try Self.record(of: backing, core: core, metadata: metadata)
        self.backing = backing
        let host = try onHost { () throws(HostError) in try backing.attributes() }
        identity = host.identity
        loss = record == nil ? Self.loss(of: backing) : nil
        // A random identifier matches no name: nothing is taken for what it is not.
        identifier = record?.identifier ?? SecureRandom.bytes(identifierByteCount)
        state = Mutex(
            State(
                childClass: record?.childClass, keptMode: record?.keptMode, owner: host.owner))
    }

    private static func record(
        of backing: any BackingFolder, core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) -> FolderRecord? {
        let target: String
        do throws(HostError) {
            target = try backing.readSymlink(ReservedName.folder)
        } catch {
            if [HostError.noSuchEntry, HostError.invalidArgument].contains(error.code) {
                return nil
            }
            throw ProtectionError(error)
        }
        return try translating { () throws(CryptographyError) in
            try FolderRecord.read(
                target: target, volumeIdentifier: core.keyring.volumeIdentifier,
                key: metadata.folderKey)
        }
    }

    /// Refuses to go on with names that nobody can read.
    func requireNames() throws(ProtectionError) {
        if let loss { throw .lostNames(loss) }
    }

    /// Gives new children another class, durably with the host folder's next sync.
    func setChildClass(
        _ childClass: ProtectionClass?, core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) {
        try rewrite(core, metadata) { $0.childClass = childClass }
    }

    /// Writes the record with a change, and leaves the folder's times as they were.
    func rewrite(
        _ core: VolumeCore, _ metadata: MetadataKeys, _ change: (inout FolderRecord) -> Void
    ) throws(ProtectionError) {
        try requireNames()
        var record = state.withLock {
            FolderRecord(
                childClass: $0.childClass, identifier: identifier, keptMode: $0.keptMode)
        }
        change(&record)
        let host = try onHost { () throws(HostError) in try backing.attributes() }
        try Self.write(record, in: backing, core: core, metadata: metadata)
        var times = HostAttributeChange()
        times.modificationTime = .time(host.modificationTime)
        // Only the looks of it: whoever is not the owner must not fail for that.
        try? backing.setAttributes(times, of: nil)
        state.withLock { [record] state in
            state.childClass = record.childClass
            state.keptMode = record.keptMode
        }
    }

    /// Writes a folder's record, in place of one that is there.
    static func write(
        _ record: FolderRecord, in backing: any BackingFolder, core: VolumeCore,
        metadata: MetadataKeys
    ) throws(ProtectionError) {
        let target = try translating { () throws(CryptographyError) in
            try record.target(
                volumeIdentifier: core.keyring.volumeIdentifier, key: metadata.folderKey)
        }
        let temporary = ReservedName.random(ReservedName.new)
        do throws(HostError) {
            try backing.makeSymlink(temporary, target: target)
            try backing.rename(temporary, to: backing, as: ReservedName.folder, rule: .replace)
        } catch {
            try? backing.removeFile(temporary)
            throw ProtectionError(error)
        }
    }
}

extension Folder {
    private func nameContext(_ core: VolumeCore) -> [UInt8] {
        FormatLabel.bytes("name") + core.keyring.volumeIdentifier + identifier
    }

    /// The host name of an entry.
    ///
    /// - Throws: `invalidName`.
    func hostName(
        of name: [UInt8], core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryName {
        if let fault = EntryName.fault(of: name) { throw .invalidName(fault) }
        try requireNames()
        let context = nameContext(core)
        return try translating { () throws(CryptographyError) in
            EntryName(
                sealed: try metadata.names.seal(name.span, authenticating: context.span))
        }
    }

    /// The host entry behind a name; also that of an entry whose name is damaged.
    func entry(
        of name: [UInt8], core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryName {
        // A whole entry may be called so, and is not to be reached by its host name.
        if let hostName = DamagedEntry.hostName(name),
            (try? backing.attributes(of: hostName)) != nil,
            self.name(of: hostName, core: core, metadata: metadata) == nil
        {
            return EntryName(damagedHostName: hostName)
        }
        return try hostName(of: name, core: core, metadata: metadata)
    }

    /// The name behind a host name; `nil` when the host name is damaged, or another folder's.
    func name(of hostName: String, core: VolumeCore, metadata: MetadataKeys) -> [UInt8]? {
        let sealed = EntryName.sealedName(hostName: hostName) { try? backing.readSymlink($0) }
        let context = nameContext(core)
        guard let sealed, sealed.count > 16,
            let name = try? metadata.names.open(sealed.span, authenticating: context.span),
            EntryName.fault(of: name) == nil
        else { return nil }
        return name
    }

    /// Makes a host entry, with the link that holds a long name before it.
    ///
    /// A link that was there may belong to an entry that is there, so only one that was made goes
    /// again when the entry cannot be made.
    func making<Result>(
        _ entry: EntryName, _ body: () throws(HostError) -> Result
    ) throws(HostError) -> Result {
        let isMade = try makeLongName(of: entry)
        do {
            return try body()
        } catch {
            if isMade { removeLongName(of: entry) }
            throw error
        }
    }

    /// Makes the link that holds a long name, if the name is long.
    ///
    /// - Returns: whether it was made; an equal one may be there.
    private func makeLongName(of entry: EntryName) throws(HostError) -> Bool {
        guard let link = entry.link else { return false }
        do {
            try backing.makeSymlink(link.hostName, target: link.target)
            return true
        } catch  where error.code == HostError.entryExists {
            return false
        }
    }

    /// Whether the link that holds a long name is there.
    func hasLongName(of entry: EntryName) -> Bool {
        guard let link = entry.link else { return false }
        return (try? backing.attributes(of: link.hostName)) != nil
    }

    /// Removes the link that holds a long name; a leftover harms nobody.
    func removeLongName(of entry: EntryName) {
        guard let link = entry.link else { return }
        try? backing.removeFile(link.hostName)
    }
}

extension ReservedName {
    /// A name that nothing else has.
    package static func random(_ prefix: String) -> String {
        prefix + Base64URL.encode(SecureRandom.bytes(12))
    }
}
