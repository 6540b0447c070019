internal import Cryptography

/// One entry's place: the folder it is in, its name there, and that name as the host sees it.
struct EntryPlace {
    let folder: Folder
    let name: [UInt8]
    let entry: EntryName
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
        try folder.require(.search)
        return EntryPlace(
            folder: folder, name: name,
            entry: try folder.entry(of: name, core: core, metadata: metadata))
    }

    /// The entry that a path leads to, following a link that it names as well.
    ///
    /// - Returns: `nil` for the top folder.
    mutating func target(
        of path: VolumePath, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryPlace? {
        guard let place = try entry(at: path, core, metadata) else { return nil }
        let host = try? place.folder.backing.attributes(of: place.entry.hostName)
        guard host?.kind == .symlink else { return place }
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
            if name == [UInt8(ascii: ".")] { continue }
            let folder = try walk(done, core, metadata)
            try folder.require(.search)
            if name == Array("..".utf8) {
                _ = done.popLast()
                continue
            }
            let isLast = rest.isEmpty
            let entry = try folder.entry(of: name, core: core, metadata: metadata)
            let host = try? folder.backing.attributes(of: entry.hostName)
            guard host?.kind == .symlink, !isLast || followsLast else {
                done.append(name)
                continue
            }
            followed += 1
            guard followed <= Self.linkCountMaximum else { throw .tooManyLinks }
            let target = try folder.linkTarget(entry, core, metadata)
            if target.first == UInt8(ascii: "/") { done = [] }
            rest = target.split(separator: UInt8(ascii: "/")).map { Array($0) } + rest
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
