internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Opens a file, and makes it first if that is asked for.
    ///
    /// - Parameters:
    ///   - path: names from the top folder down, with `/` between; symbolic links are followed.
    ///   - options: what the handle is for; `[.write, .create]` makes a file that is missing.
    ///   - protectionClass: the class of a file that is made; `nil` leaves it to the rules
    ///     (docs/classes.md). It does not change a file that exists.
    ///   - mode: the permission bits of a file that is made.
    /// - Throws: `sealed` when the class cannot be opened, or made, in this lock state: nothing
    ///   was made or emptied then. `missing`, `exists`, `isFolder`, `notFolder`, `damaged`,
    ///   `invalidName`, `noSpace`.
    public func openFile(
        _ path: String, _ options: OpenOptions = .read,
        class protectionClass: ProtectionClass? = nil,
        mode: UInt32 = 0o600
    ) throws(ProtectionError) -> ProtectedFile {
        let request = NewFile(protectionClass: protectionClass, mode: mode)
        guard options.contains(.write) || options.isDisjoint(with: [.truncate, .append]) else {
            throw .invalidArgument("truncating and appending need .write")
        }
        return try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            return try withNames { names, metadata throws(ProtectionError) in
                let inode: Inode
                do throws(ProtectionError) {
                    inode = try open(parsed, options, request, &names, metadata)
                } catch {
                    // That a link is there is known only from the host's own answer.
                    guard error.code == .symbolicLink, !options.contains(.noFollow) else {
                        throw error
                    }
                    let target = try names.resolve(parsed, followsLast: true, core, metadata)
                    inode = try open(target, options, request, &names, metadata)
                }
                return ProtectedFile(inode: inode, options: options)
            }
        }
    }

    func open(
        _ path: VolumePath, _ options: OpenOptions, _ request: NewFile, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Inode {
        guard let place = try names.entry(at: path, core, metadata) else { throw .isFolder }
        return try open(place, options, request, &names, metadata)
    }

    func open(
        _ place: EntryPlace, _ options: OpenOptions, _ request: NewFile, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Inode {
        if options.contains(.create) {
            do throws(ProtectionError) {
                return try create(place, request, &names, metadata)
            } catch {
                // The name being taken is known only from the host's own answer.
                guard error.code == .exists, !options.contains(.exclusive) else { throw error }
            }
        }
        let inode = try holdExisting(place.entry, in: place.folder)
        do {
            try inode.requireMode(options)
            if options.contains(.truncate) { try inode.emptyAtOpen() }
            return inode
        } catch {
            _ = core.inodes.release(inode)
            throw error
        }
    }

    /// Holds the inode of a file that exists.
    func holdExisting(_ entry: EntryName, in folder: Folder) throws(ProtectionError) -> Inode {
        let (file, identity) = try openHost(entry, in: folder)
        let folderClass = folder.childClass ?? core.defaultClass
        let inode = try core.inodes.hold(identity) { () throws(ProtectionError) in
            try core.load(file, identity: identity, folderClass: folderClass)
        }
        do {
            // A file that is open already may be of a class that cannot be opened a second time
            // now.
            try core.requireOpening(inode.protectionClass)
        } catch {
            _ = core.inodes.release(inode)
            throw error
        }
        return inode
    }

    /// Opens a host file, for writing where the host allows it.
    func openHost(
        _ entry: EntryName, in folder: Folder
    ) throws(ProtectionError) -> (any BackingFile, HostIdentity) {
        do throws(HostError) {
            let file: any BackingFile
            do throws(HostError) {
                file = try folder.backing.openFile(entry.hostName, writable: true)
            } catch {
                guard [HostError.readOnly, HostError.accessDenied].contains(error.code) else {
                    throw error
                }
                file = try folder.backing.openFile(entry.hostName, writable: false)
            }
            return (file, try file.attributes().identity)
        } catch {
            if error.code == HostError.invalidArgument { throw .notAFile }
            // Who made the copy left the file out, not its name: it is not simply missing.
            if error.code == HostError.noSuchEntry, folder.hasLongName(of: entry) {
                throw .nameWithoutFile
            }
            throw ProtectionError(error)
        }
    }

    /// Fills in the place of an error.
    func place<Result>(
        _ path: String, _ body: () throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        do { return try body() } catch { throw error.at(path) }
    }
}

extension Inode {
    /// Refuses what the kept mode forbids to the file's owner; the host refuses all else.
    func requireMode(_ options: OpenOptions) throws(ProtectionError) {
        try state.withSharedLock { state throws(ProtectionError) in
            guard let kept = state.header.keptMode else { return }
            let bits: UInt32 =
                (options.contains(.read) ? 4 : 0) | (options.contains(.write) ? 2 : 0)
            guard KeptMode.allows(bits, kept, owner: try state.hostAttributes().owner) else {
                throw .modeForbids
            }
        }
    }
}
