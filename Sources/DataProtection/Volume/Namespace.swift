internal import Cryptography
internal import Synchronization

/// Finds folders by path, and remembers what names were a moment ago.
///
/// One lock covers every change of names in the volume; it is taken before any other lock and never
/// held while a caller's bytes are read or written. Opening a file reads its first and last page
/// under it, and after an unclean stop its page heads.
struct Namespace: ~Copyable {
    private struct ChildKey: Hashable {
        var folder: HostIdentity
        var name: [UInt8]
    }

    private struct Memory {
        var protectionClass: ProtectionClass
        var identity: HostIdentity?
        var until: ContinuousClock.Instant
    }

    /// Each holds a descriptor, of which many systems give a process 1024.
    private static let folderCountMaximum = 256
    /// How long a name's class is remembered after the name was freed.
    static let memoryDuration = Duration.seconds(10)
    private static let memoryCountMaximum = 1024

    private var root: Folder?
    private var children: [ChildKey: Folder] = [:]
    /// Folders that somebody holds, so that each has one object: what it knows of itself changes.
    private var held: [HostIdentity: WeakFolder] = [:]

    private var heldCountMaximum = folderCountMaximum

    private struct WeakFolder {
        weak var folder: Folder?
    }
    private var memories: [ChildKey: Memory] = [:]

    /// The top folder.
    mutating func root(_ core: VolumeCore, _ metadata: MetadataKeys) throws(ProtectionError)
        -> Folder
    {
        if let root { return root }
        let found = try Folder(core.store.root, core: core, metadata: metadata)
        hold(found)
        root = found
        return found
    }

    /// The folder at a path; symbolic links on the way are followed.
    mutating func folder(
        at names: some Collection<[UInt8]>, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Folder {
        do throws(ProtectionError) {
            return try walk(names, core, metadata)
        } catch {
            // Links are rare: only where the walk ends at something else than a folder is looked
            // for one.
            guard error.code == .notFolder else { throw error }
            let path = VolumePath(names: Array(names))
            let resolved = try resolve(path, followsLast: true, core, metadata)
            guard resolved != path else { throw error }
            return try walk(resolved.names, core, metadata)
        }
    }

    /// A folder in a folder.
    mutating func child(
        named name: [UInt8], of folder: Folder, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Folder {
        let key = ChildKey(folder: folder.identity, name: name)
        if let known = children[key] { return known }
        let entry = try folder.entry(of: name, core: core, metadata: metadata)
        let backing = try onHost { () throws(HostError) in
            try folder.backing.openFolder(entry.hostName)
        }
        var found = try Folder(backing, core: core, metadata: metadata)
        // One whose record was lost is looked at anew each time.
        if let known = held[found.identity]?.folder, known.loss == nil, found.loss == nil {
            found = known
        } else {
            hold(found)
        }
        if children.count >= Self.folderCountMaximum { children = [:] }
        children[key] = found
        return found
    }

    private mutating func hold(_ folder: Folder) {
        if held.count >= heldCountMaximum {
            held = held.filter { $0.value.folder != nil }
            heldCountMaximum = max(Self.folderCountMaximum, held.count * 2)
        }
        held[folder.identity] = WeakFolder(folder: folder)
    }

    /// Forgets open folders after one of them was moved or removed.
    mutating func forgetFolders() { children = [:] }

    /// Remembers the class of a name that is about to be freed.
    mutating func remember(
        _ protectionClass: ProtectionClass, of name: [UInt8], in folder: Folder,
        _ identity: HostIdentity?
    ) {
        if memories.count >= Self.memoryCountMaximum {
            let now = ContinuousClock.now
            memories = memories.filter { $0.value.until > now }
            if memories.count >= Self.memoryCountMaximum { memories = [:] }
        }
        memories[ChildKey(folder: folder.identity, name: name)] = Memory(
            protectionClass: protectionClass, identity: identity, until: .now + Self.memoryDuration)
    }

    /// The class that a name had a moment ago.
    ///
    /// - Parameter identity: what is to get the name; a file that had it itself has none to keep.
    func remembered(
        _ name: [UInt8], in folder: Folder, for identity: HostIdentity?
    ) -> ProtectionClass? {
        guard let memory = memories[ChildKey(folder: folder.identity, name: name)],
            memory.until > .now, identity == nil || memory.identity != identity
        else { return nil }
        return memory.protectionClass
    }
}
