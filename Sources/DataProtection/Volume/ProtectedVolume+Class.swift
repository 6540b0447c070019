internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// The class of a file, or the one that a folder gives to new children. Known in every lock
    /// state.
    ///
    /// A symbolic link is followed.
    /// - Returns: `nil` for a folder without a class of its own: its children get the volume's.
    /// - Throws: `missing`, `damaged`.
    public func protectionClass(of path: String) throws(ProtectionError) -> ProtectionClass? {
        let attributes = try attributes(of: path, followingLinks: true)
        if let damage = attributes.damage {
            throw try (lossOfNames(in: path) ?? .damaged(damage)).at(path)
        }
        return attributes.protectionClass
    }

    /// Gives a file another class, or a folder another class for new children.
    ///
    /// A file's key is wrapped anew; the content is not rewritten, and the change is durable on
    /// return. What is already in a folder keeps its class. A folder's class can be changed in
    /// every lock state.
    ///
    /// - Parameters:
    ///   - protectionClass: the new class; `nil`, for a folder, goes back to the volume's default.
    ///   - path: the file or folder.
    /// - Throws: `sealed` when the present class cannot be opened, or the new one not be made, in
    ///   this lock state; `forbidden` when it is weaker than the volume's policy says; `missing`,
    ///   `damaged`, `noSpace`. The class is then unchanged.
    public func setProtectionClass(
        _ protectionClass: ProtectionClass?, of path: String
    ) throws(ProtectionError) {
        let asked = protectionClass
        var protectionClass = asked
        if let asked {
            protectionClass = try place(path) { () throws(ProtectionError) in
                let parsed = try VolumePath(path)
                return try withNames { names, metadata throws(ProtectionError) in
                    let place = try names.target(of: parsed, core, metadata)
                    return try classByPolicy(
                        asked, at: place?.path.names ?? [], &names, metadata)
                }
            }
        }
        try withItem(path, followingLinks: true) { item, metadata throws(ProtectionError) in
            try core.session.beginWriting(core.keyring)
            switch item {
            case .folder(let folder): try setChildClass(protectionClass, of: folder, metadata)
            case .file(let place, _):
                guard let protectionClass else { throw .classlessThing }
                if (try? classOfFile(place)) == protectionClass { return }
                try setClass(protectionClass, of: place.entry, in: place.folder)
            case .other: throw .classlessThing
            }
        }
    }

    /// Gives the new children of a folder another class, durably.
    func setChildClass(
        _ protectionClass: ProtectionClass?, of folder: Folder, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        let present = folder.childClass ?? core.defaultClass
        if present.isStricter(than: protectionClass ?? core.defaultClass) {
            // Of a file that was just made, a power cut may leave the name without the header; its
            // class is then the folder's, and must not become a weaker one.
            try onHost { () throws(HostError) in try core.store.syncAll() }
        }
        try folder.setChildClass(protectionClass, core: core, metadata: metadata)
        try onHost { () throws(HostError) in try folder.backing.sync() }
    }

    /// Gives a file another class, durably.
    func setClass(
        _ protectionClass: ProtectionClass, of entry: EntryName, in folder: Folder
    ) throws(ProtectionError) {
        let inode = try holdExisting(entry, in: folder)
        defer { _ = core.inodes.release(inode) }
        try inode.setClass(protectionClass)
    }
}
