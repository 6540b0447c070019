internal import Cryptography

/// One entry's place: the folder it is in, its name there, and that name as the host sees it.
struct EntryPlace {
    let folder: Folder
    let name: [UInt8]
    let entry: EntryName
    /// How it was reached; a link's relative target begins there.
    let path: VolumePath

    /// What the host says of it; `nil` when there is no such entry. That it cannot tell is no
    /// answer: whatever must not get lost may be there.
    func hostAttributes() throws(ProtectionError) -> HostAttributes? {
        do throws(HostError) {
            return try folder.backing.attributes(of: entry.hostName)
        } catch {
            if error.code == HostError.noSuchEntry { return nil }
            throw ProtectionError(error)
        }
    }

    /// Refuses a name that is taken, and then a folder whose mode forbids to make one: in the order
    /// of the host.
    func requireFree() throws(ProtectionError) {
        if try hostAttributes() != nil { throw .exists }
        try folder.require(.change)
    }

    /// Refuses to remove what is missing, and then a folder whose mode forbids it.
    ///
    /// - Parameter host: what the host says of it; of a copy that lacks it the long name may be
    ///   there.
    func requireRemovable(_ host: HostAttributes?) throws(ProtectionError) {
        guard host != nil || folder.hasLongName(of: entry) else { throw .missing }
        try folder.require(.change)
    }
}

/// Following symbolic links inside the volume.
extension Namespace {
    /// How many links are followed before it is taken for a circle. Linux has the same limit.
    private static let linkCountMaximum = 40

    /// The entry that a path names; links before its last name are followed.
    ///
    /// - Returns: `nil` for the top folder.
    mutating func entry(
        at path: VolumePath, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryPlace? {
        guard let name = path.last else { return nil }
        let folder = try folder(at: path.names.dropLast(), core, metadata)
        return try entry(name, in: folder, at: path, core, metadata)
    }

    private func entry(
        _ name: [UInt8], in folder: Folder, at path: VolumePath, _ core: VolumeCore,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryPlace {
        try folder.require(.search)
        return EntryPlace(
            folder: folder, name: name,
            entry: try folder.entry(of: name, core: core, metadata: metadata), path: path)
    }

    /// The entry that a path leads to, following a link that it names as well.
    ///
    /// - Returns: `nil` for the top folder.
    mutating func target(
        of path: VolumePath, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryPlace? {
        guard let place = try entry(at: path, core, metadata) else { return nil }
        guard try place.hostAttributes()?.kind == .symlink else { return place }
        return try entry(
            at: try resolve(path, followsLast: true, core, metadata), core, metadata)
    }

    /// The path without links: every one of them is followed, `.` and `..` are walked.
    ///
    /// A target with a leading slash begins at the volume's top; nothing leads out of the volume.
    ///
    /// - Parameter followsLast: whether a link that is the last name is followed, too.
    /// - Throws: `missing`, `notFolder`, `damaged`; `symbolicLink` after 40 links.
    mutating func resolve(
        _ path: VolumePath, followsLast: Bool, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> VolumePath {
        var done: [[UInt8]] = []
        var rest = path.names[...]
        var followed = 0
        while let name = rest.popFirst() {
            // Also before a dot there must be a folder.
            let folder = try walk(done, core, metadata)
            if name == [UInt8(ascii: ".")] { continue }
            try folder.require(.search)
            if name == Array("..".utf8) {
                _ = done.popLast()
                continue
            }
            let isLast = rest.isEmpty
            let place = try entry(
                name, in: folder, at: VolumePath(names: done + [name]), core, metadata)
            let isLink = try place.hostAttributes()?.kind == .symlink
            guard isLink, !isLast || followsLast else {
                done.append(name)
                continue
            }
            followed += 1
            guard followed <= Self.linkCountMaximum else { throw .tooManyLinks }
            let target = try folder.linkTarget(place.entry, core, metadata)
            let slash = UInt8(ascii: "/")
            if target.first == slash { done = [] }
            // A slash at the end asks for a folder, as a dot does.
            let end = target.last == slash ? [[UInt8(ascii: ".")]] : []
            rest = target.split(separator: slash).map { Array($0) } + end + rest
        }
        return VolumePath(names: done)
    }

    /// The folder at a path without links.
    mutating func walk(
        _ names: some Collection<[UInt8]>, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Folder {
        var folder = try root(core, metadata)
        for name in names {
            try folder.require(.search)
            folder = try child(named: name, of: folder, core, metadata)
        }
        return folder
    }
}
