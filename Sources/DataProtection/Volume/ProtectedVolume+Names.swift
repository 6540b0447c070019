internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Removes a file. Allowed in every lock state, also for a file that is damaged.
    ///
    /// - Throws: `missing`, `isFolder`, `notFolder`.
    public func removeFile(_ path: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            guard let name = parsed.last else { throw .isFolder }
            try withNames { names, metadata throws(ProtectionError) in
                let folder = try names.folder(at: parsed.names.dropLast(), core, metadata)
                let entry = try folder.entry(of: name, core: core, metadata: metadata)
                remember(name, in: folder, &names, metadata)
                try core.session.beginWriting(core.keyring)
                try onHost { () throws(HostError) in
                    try folder.backing.removeFile(entry.hostName)
                }
                folder.removeLink(of: entry)
            }
        }
    }

    /// Renames or moves a file or folder. Allowed in every lock state; the class stays.
    ///
    /// A file that has the new name is replaced. With the rules `safer` the file then has the
    /// stronger of the two classes.
    /// - Throws: `missing`, `notEmpty`, `isFolder`, `notFolder`; `sealed` when a stronger class is
    ///   needed and its key is not there: nothing has changed then.
    public func rename(_ path: String, to newPath: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let source = try VolumePath(path)
            let target = try VolumePath(newPath)
            guard let name = source.last, let newName = target.last else {
                throw .invalidArgument("the top folder stays")
            }
            guard !target.names.dropLast().starts(with: source.names) else {
                throw .invalidArgument("a folder cannot be moved into itself")
            }
            try withNames { names, metadata throws(ProtectionError) in
                let folder = try names.folder(at: source.names.dropLast(), core, metadata)
                let newFolder = try names.folder(at: target.names.dropLast(), core, metadata)
                let from = RenameEnd(
                    folder: folder, name: name,
                    entry: try folder.hostName(of: name, core: core, metadata: metadata))
                let to = RenameEnd(
                    folder: newFolder, name: newName,
                    entry: try newFolder.hostName(of: newName, core: core, metadata: metadata))
                try rename(from, to, keepsClass: false, &names, metadata)
            }
        }
    }

    /// Renames under the namespace lock.
    ///
    /// - Parameter keepsClass: whether the class was asked for explicitly, and so wins.
    func rename(
        _ from: RenameEnd, _ to: RenameEnd, keepsClass: Bool, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        let source = try onHost { () throws(HostError) in
            try from.folder.backing.attributes(of: from.entry.hostName)
        }
        let target = try? to.folder.backing.attributes(of: to.entry.hostName)
        if let target {
            guard target.identity != source.identity else { return }
            if target.kind == .folder {
                guard source.kind == .folder else { throw .isFolder }
                try removeFolder(to.entry, in: to.folder, &names)
            } else if source.kind == .folder {
                throw .notFolder
            } else if source.kind == .regular, target.kind == .regular, !keepsClass {
                try raise(from, replacing: to)
            }
        }
        if source.kind == .regular { remember(from.name, in: from.folder, &names, metadata) }
        try core.session.beginWriting(core.keyring)
        do throws(HostError) {
            try to.folder.makeLink(of: to.entry)
            try from.folder.backing.rename(
                from.entry.hostName, to: to.folder.backing, as: to.entry.hostName, rule: .replace)
        } catch {
            if target == nil { to.folder.removeLink(of: to.entry) }
            throw ProtectionError(error)
        }
        from.folder.removeLink(of: from.entry)
        if source.kind == .folder { names.forgetFolders() }
    }

    /// Gives a file the class that it will need over the one it replaces, durably, before the
    /// rename.
    private func raise(
        _ from: RenameEnd, replacing to: RenameEnd
    ) throws(ProtectionError) {
        guard core.ruleSet == .safer,
            let present = classOfEntry(from.entry, in: from.folder).known,
            let replaced = classOfEntry(to.entry, in: to.folder).toKeep
        else { return }
        let needed = core.ruleSet.classAfterReplacing(replaced, with: present)
        guard needed != present else { return }
        try setClass(needed, of: from.entry, in: from.folder)
    }

    /// Remembers the class of a name that is about to be freed.
    private func remember(
        _ name: [UInt8], in folder: Folder, _ names: inout Namespace, _ metadata: MetadataKeys
    ) {
        guard core.ruleSet == .safer, let known = classOfEntry(name, in: folder, metadata) else {
            return
        }
        names.remember(known, of: name, in: folder)
    }
}

/// One end of a rename.
struct RenameEnd {
    let folder: Folder
    let name: [UInt8]
    let entry: EntryName
}
