/// One folder on a walk over a part of the volume, with what is in it at that moment.
struct WalkedFolder {
    /// The folder, held open.
    let folder: Folder
    /// Its names from the top folder down.
    let names: [[UInt8]]
    /// Its path for people; empty for the top folder.
    let path: String
    /// Everything that the host has there.
    let hostEntries: [HostEntry]
    /// The entries, sorted by the bytes of their names.
    let entries: [WalkedEntry]

    /// The path of something in it.
    func path(of name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }
}

/// One entry on a walk.
struct WalkedEntry {
    /// Where it is.
    let place: EntryPlace
    /// Its path for people.
    let path: String
    /// What the host has there.
    let kind: HostKind
    /// Whether its name cannot be read; then it goes by a stand-in.
    let hasDamagedName: Bool
}

extension ProtectedVolume {
    /// Opens a folder for a walk. No link is followed, and what its mode forbids to others does not
    /// matter: the walk looks after all of the volume.
    ///
    /// - Throws: `missing` or `notFolder` when it went away meanwhile; `forbidden`, `host`.
    func walked(_ names: [[UInt8]]) throws(ProtectionError) -> WalkedFolder {
        let path = names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        return try withNames { namespace, metadata throws(ProtectionError) in
            var folder = try namespace.root(core, metadata)
            for name in names {
                folder = try namespace.child(named: name, of: folder, core, metadata)
            }
            let listed = try onHost { () throws(HostError) in try folder.backing.list() }
            var entries: [WalkedEntry] = []
            for host in listed where EntryName.isEntry(host.name) {
                entries.append(try entry(host, in: folder, names, path, metadata))
            }
            entries.sort { $0.place.name.lexicographicallyPrecedes($1.place.name) }
            return WalkedFolder(
                folder: folder, names: names, path: path, hostEntries: listed, entries: entries)
        }
    }

    private func entry(
        _ host: HostEntry, in folder: Folder, _ names: [[UInt8]], _ path: String,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> WalkedEntry {
        let found = folder.name(of: host.name, core: core, metadata: metadata)
        let name = found ?? Array(DamagedEntry.name(hostName: host.name).utf8)
        let entry =
            found == nil
            ? EntryName(damagedHostName: host.name)
            : try folder.hostName(of: name, core: core, metadata: metadata)
        let text = String(decoding: name, as: UTF8.self)
        return WalkedEntry(
            place: EntryPlace(
                folder: folder, name: name, entry: entry, path: VolumePath(names: names + [name])),
            path: path.isEmpty ? text : "\(path)/\(text)", kind: host.kind,
            hasDamagedName: found == nil)
    }
}
