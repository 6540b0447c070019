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
    private let state: Mutex<State>

    private struct State {
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
    private func rewrite(
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

    /// Changes the folder's own attributes.
    func setAttributes(
        _ wanted: HostAttributeChange, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        var change = wanted
        let before = keptMode
        let kept = change.mode.map { KeptMode.ofFolder($0) } ?? before
        change.mode = change.mode.map { $0 | 0o700 }
        // Whatever is strict comes first: a crash in between leaves the stricter mode.
        if kept != before, kept != nil { try rewrite(core, metadata) { $0.keptMode = kept } }
        do throws(HostError) {
            try backing.setAttributes(change, of: nil)
        } catch {
            if kept != before, kept != nil {
                try? rewrite(core, metadata) { $0.keptMode = before }
            }
            throw ProtectionError(error)
        }
        if kept != before, kept == nil { try rewrite(core, metadata) { $0.keptMode = nil } }
        if let owner = change.owner { state.withLock { $0.owner = owner } }
    }

    /// What a caller wants to do with the folder itself.
    enum Use: UInt32 {
        /// List it.
        case list = 4
        /// Make, rename or remove entries.
        case change = 3
        /// Move it into another folder, or set an attribute.
        case write = 2
        /// Reach what is in it.
        case search = 1
    }

    /// Refuses what the kept mode forbids to the folder's owner; the host refuses all else.
    func require(_ use: Use) throws(ProtectionError) {
        let (keptMode, owner) = state.withLock { ($0.keptMode, $0.owner) }
        guard KeptMode.allows(use.rawValue, keptMode, owner: owner) else { throw .modeForbids }
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
