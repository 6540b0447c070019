internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Reads a whole file.
    ///
    /// - Throws: `sealed`, `missing`, `isFolder`, `damaged`.
    public func read(_ path: String) throws(ProtectionError) -> [UInt8] {
        let file = try openFile(path, .read)
        defer { file.close() }
        return try place(path) { () throws(ProtectionError) in
            try file.read(at: 0, count: Int(clamping: file.size))
        }
    }

    /// Writes a whole file so that it is the old one or the new one, whatever happens; durable on
    /// return.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - path: the file; one that is there is replaced.
    ///   - protectionClass: its class. `nil` leaves it to the rules (docs/classes.md).
    ///   - mode: its permission bits. `nil` leaves those of the file that is replaced, else 0600.
    ///   - rule: what if the name is taken; `exchange` is not for files that are made.
    /// - Throws: `sealed`, `noSpace`, `missing` when its folder is, `exists` as the rule says; the
    ///   old file is then untouched.
    public func write(
        _ bytes: [UInt8], to path: String, class protectionClass: ProtectionClass? = nil,
        mode: UInt32? = nil, rule: RenameRule = .replace
    ) throws(ProtectionError) {
        let failure = try replacing(path, class: protectionClass, mode: mode, rule: rule) {
            file throws(ProtectionError) in
            let mode = try file.attributes().mode
            try file.write(bytes, at: 0)
            // These bits go with the first write of whoever is not root. See: 'man 2 write'.
            if mode & 0o6000 != 0 { try file.setAttributes(AttributeChange(mode: mode)) }
        }
        if let failure { throw failure.at(path) }
    }

    /// Writes a file through a handle and puts it in place at the end: it is the old one or the
    /// new one.
    ///
    /// - Parameters:
    ///   - path: the file; one that is there is replaced when `fill` returns. A symbolic link is
    ///     followed; user attributes of the file that is replaced are kept.
    ///   - protectionClass: its class. `nil` leaves it to the rules (docs/classes.md).
    ///   - mode: its permission bits. `nil` leaves those of the file that is replaced, else 0600.
    ///   - rule: what if the name is taken; `exchange` is not for files that are made.
    ///   - fill: writes the content.
    /// - Throws: what `fill` throws, and `ProtectionError` as `write(_:to:class:)`; the old file is
    ///   then untouched.
    public func replaceFile<Failure: Error>(
        _ path: String, class protectionClass: ProtectionClass? = nil, mode: UInt32? = nil,
        rule: RenameRule = .replace, fill: (ProtectedFile) throws(Failure) -> Void
    ) throws {
        let failure = try replacing(path, class: protectionClass, mode: mode, rule: rule, fill)
        if let failure = failure as? ProtectionError { throw failure.at(path) }
        if let failure { throw failure }
    }

    /// Replaces a file.
    ///
    /// - Returns: what `fill` threw; `nil` when the new file is in place.
    func replacing<Failure: Error>(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32?, rule: RenameRule,
        _ fill: (ProtectedFile) throws(Failure) -> Void
    ) throws(ProtectionError) -> Failure? {
        guard rule != .exchange else {
            throw ProtectionError.invalidArgument("a new file cannot change places").at(path)
        }
        return try place(path) { () throws(ProtectionError) -> Failure? in
            let parsed = try VolumePath(path)
            let (from, to, inode) = try withNames { names, metadata throws(ProtectionError) in
                // A link is a name that is not free.
                let place =
                    rule == .exclusive
                    ? try names.entry(at: parsed, core, metadata)
                    : try names.target(of: parsed, core, metadata)
                guard let to = place else {
                    throw rule == .exclusive ? .exists : .isFolder
                }
                let (from, inode) = try makeTemporary(
                    for: to, class: protectionClass, mode: mode, rule: rule, &names, metadata)
                return (from, to, inode)
            }
            let file = ProtectedFile(inode: inode, options: .readWrite)
            defer { file.close() }
            do throws(Failure) {
                try fill(file)
            } catch {
                try? from.folder.backing.removeFile(from.entry.hostName)
                return error
            }
            do throws(ProtectionError) {
                try file.synchronize()
                try withNames { names, metadata throws(ProtectionError) in
                    try rename(
                        from, to, rule: rule, keepsClass: protectionClass != nil, &names, metadata)
                }
                try onHost { () throws(HostError) in try to.folder.backing.sync() }
            } catch {
                try? from.folder.backing.removeFile(from.entry.hostName)
                throw error
            }
            return nil
        }
    }

    /// Makes the file that will take the place of another, under a name that is swept after a
    /// crash, with what is kept of the other.
    private func makeTemporary(
        for target: EntryPlace, class protectionClass: ProtectionClass?, mode: UInt32?,
        rule: RenameRule, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> (EntryPlace, Inode) {
        let folder = target.folder
        let present = try target.hostAttributes()
        if rule == .exclusive, present != nil { throw .exists }
        if present?.kind == .folder { throw .isFolder }
        var keptMode: UInt32?
        if let present, present.kind == .regular {
            let mode = try attributes(ofFile: target.entry, in: folder, present, metadata).mode
            // The new file is this process's: another user's bits must not make it act as us.
            keptMode = KeptMode.isOwner(present.owner) ? mode : mode & 0o1777
        }
        var request = NewFile(protectionClass: protectionClass, mode: mode ?? keptMode ?? 0o600)
        request.replaced = classOfEntry(target, &names, metadata).toKeep
        let temporary = EntryName(reserved: ReservedName.random(ReservedName.new))
        let inode = try create(
            EntryPlace(folder: folder, name: target.name, entry: temporary, path: target.path),
            request, &names, metadata)
        if present?.kind == .regular, let (old, _) = try? openHost(target.entry, in: folder) {
            // What is damaged or too much for the host must not keep a file from being saved.
            inode.state.withSharedLock { state in
                try? SealedAttributes(host: old.userAttributes, core: core, metadata: metadata)
                    .copy(to: state.file.userAttributes)
            }
        }
        let place = EntryPlace(
            folder: folder, name: [], entry: temporary, path: VolumePath(names: []))
        return (place, inode)
    }
}
