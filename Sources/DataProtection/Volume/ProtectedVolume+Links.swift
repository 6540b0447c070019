internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Gives a file another name. Allowed in every lock state; both names are one file of one
    /// class.
    ///
    /// - Parameters:
    ///   - path: what exists: a file, a symbolic link (which is not followed), a fifo, a socket or
    ///     a device.
    ///   - newPath: its new name, in the same or another folder.
    /// With the rules `safer` the file gets the stronger class where the new name was another
    /// file's until a moment ago.
    /// - Throws: `exists`, `missing`; `isFolder` for a folder; `sealed` when a stronger class is
    ///   needed and its key is not there.
    public func link(_ path: String, to newPath: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let source = try VolumePath(path)
            let target = try VolumePath(newPath)
            try withNames { names, metadata throws(ProtectionError) in
                guard let from = try names.entry(at: source, core, metadata) else {
                    throw .folderLink
                }
                // In the order of link(2): the old name, then the new one, then what it is.
                guard let host = try from.hostAttributes() else { throw .missing }
                guard let to = try names.entry(at: target, core, metadata) else { throw .exists }
                try link(from, host, to: to, &names, metadata)
            }
        }
    }

    /// Gives a file another name under the namespace lock.
    func link(
        _ from: EntryPlace, _ host: HostAttributes, to: EntryPlace, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        try to.requireFree()
        if host.kind == .folder { throw .folderLink }
        try core.session.beginWriting(core.keyring)
        try raise(from, host, over: to, &names, metadata)
        noteClass(of: from, host, for: to.folder)
        try make(to) { () throws(HostError) in
            try from.folder.backing.makeLink(
                of: from.entry.hostName, in: to.folder.backing, as: to.entry.hostName)
        }
    }

    /// Makes a symbolic link. Allowed in every lock state; a link has no class, and its target is
    /// as private as names are.
    ///
    /// - Parameters:
    ///   - path: the link.
    ///   - target: where it leads, as it is: relative to the link's folder, or with a leading slash
    ///     from the volume's top. 1 to 3031 bytes. It need not exist.
    /// - Throws: `exists`, `missing` when its folder is; `invalidName` for an unusable target.
    public func makeSymbolicLink(_ path: String, target: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            try withNames { names, metadata throws(ProtectionError) in
                guard let place = try names.entry(at: parsed, core, metadata) else { throw .exists }
                try makeSymbolicLink(at: place, target: Array(target.utf8), metadata)
            }
        }
    }

    /// Makes a symbolic link under the namespace lock.
    func makeSymbolicLink(
        at place: EntryPlace, target: [UInt8], _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        guard (1...Self.targetByteCountMaximum).contains(target.count), !target.contains(0) else {
            throw .unusableTarget(byteCount: target.count)
        }
        let identifier = core.keyring.volumeIdentifier
        let sealed = try translating { () throws(CryptographyError) in
            try SealedValue.seal(
                target, context: SealedValue.linkContext(volumeIdentifier: identifier),
                key: metadata.attributesKey, algorithm: core.keyring.algorithm)
        }
        try place.requireFree()
        try core.session.beginWriting(core.keyring)
        try make(place) { () throws(HostError) in
            try place.folder.backing.makeSymlink(
                place.entry.hostName, target: Base64URL.encode(sealed))
        }
    }

    /// The longest target: the host's 4095 characters of base64url hold 3071 bytes.
    static let targetByteCountMaximum = 3071 - SealedValue.overheadByteCount

    /// Where a symbolic link leads, as it was made; bytes that are not UTF-8 are replaced.
    ///
    /// - Throws: `invalidArgument` when it is no link, `damaged`, `missing`.
    public func symbolicLinkTarget(of path: String) throws(ProtectionError) -> String {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            return try withNames { names, metadata throws(ProtectionError) in
                guard let place = try names.entry(at: parsed, core, metadata) else {
                    throw .invalidArgument("it is no symbolic link")
                }
                let target = try place.folder.linkTarget(place.entry, core, metadata)
                return String(decoding: target, as: UTF8.self)
            }
        }
    }

    /// The path of what another path leads to, with every symbolic link in it followed.
    ///
    /// - Returns: names from the top folder down, with `/` between; empty for the top folder.
    /// - Throws: `missing` when a folder on the way does not exist (the last name need not);
    ///   `symbolicLink` after 40 links.
    public func resolvingLinks(_ path: String) throws(ProtectionError) -> String {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            let names = try withNames { names, metadata throws(ProtectionError) in
                try names.resolve(parsed, followsLast: true, core, metadata).names
            }
            return names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        }
    }

    /// Makes a fifo, a socket or a device. Allowed in every lock state; what goes through it is not
    /// encrypted, and it has no class.
    ///
    /// - Parameters:
    ///   - path: its name.
    ///   - kind: any but a file, a folder and a symbolic link.
    ///   - mode: its permission bits.
    ///   - deviceNumber: for a device, its number as `dev_t` has it.
    /// - Throws: `exists`, `missing` when its folder is, `forbidden` for a device without the right
    ///   to make one.
    public func makeNode(
        _ path: String, _ kind: ItemKind, mode: UInt32, deviceNumber: UInt64 = 0
    ) throws(ProtectionError) {
        guard ![.file, .folder, .symlink].contains(kind), mode <= 0o7777 else {
            throw ProtectionError.invalidArgument("a node is a fifo, a socket or a device").at(path)
        }
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            try withNames { names, metadata throws(ProtectionError) in
                guard let place = try names.entry(at: parsed, core, metadata) else { throw .exists }
                try makeNode(at: place, kind, mode: mode, deviceNumber: deviceNumber)
            }
        }
    }

    /// Makes a fifo, a socket or a device under the namespace lock.
    func makeNode(
        at place: EntryPlace, _ kind: ItemKind, mode: UInt32, deviceNumber: UInt64
    ) throws(ProtectionError) {
        try place.requireFree()
        try core.session.beginWriting(core.keyring)
        try make(place) { () throws(HostError) in
            try place.folder.backing.makeNode(
                place.entry.hostName, kind: kind.hostKind, mode: mode, device: deviceNumber)
        }
    }

    /// Makes a host entry, with the link that holds a long name around it.
    private func make(
        _ place: EntryPlace, _ body: () throws(HostError) -> Void
    ) throws(ProtectionError) {
        try onHost { () throws(HostError) in try place.folder.making(place.entry, body) }
    }
}

extension Folder {
    /// The target of a symbolic link that is an entry.
    func linkTarget(
        _ entry: EntryName, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> [UInt8] {
        let stored: String
        do throws(HostError) {
            stored = try backing.readSymlink(entry.hostName)
        } catch {
            if error.code == HostError.invalidArgument {
                throw .invalidArgument("it is no symbolic link")
            }
            throw ProtectionError(error)
        }
        guard let sealed = Base64URL.decode(stored) else { throw .damagedLink }
        let context = SealedValue.linkContext(volumeIdentifier: core.keyring.volumeIdentifier)
        return try translating(ProtectionError.damagedLink) { () throws(CryptographyError) in
            try SealedValue.open(
                sealed, context: context, key: metadata.attributesKey,
                algorithm: core.keyring.algorithm)
        }
    }
}
