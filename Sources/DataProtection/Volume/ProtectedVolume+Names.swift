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
                _ = try folder.requireChange(of: entry)
                remember(name, in: folder, &names, metadata)
                try core.session.beginWriting(core.keyring)
                try onHost { () throws(HostError) in
                    try folder.backing.removeFile(entry.hostName)
                }
                folder.removeLongName(of: entry)
            }
        }
    }

    /// Renames or moves a file or folder. Allowed in every lock state; the class stays.
    ///
    /// A file that has the new name is replaced. With the rules `safer` the file then has the
    /// stronger of the two classes; files that change places both get it. A symbolic link is
    /// renamed itself.
    /// - Parameters:
    ///   - path: what exists.
    ///   - newPath: its new name, in the same or another folder.
    ///   - rule: what if the new name is taken.
    /// - Throws: `missing`, `exists`, `notEmpty`, `isFolder`, `notFolder`; `sealed` when a stronger
    ///   class is needed and its key is not there: nothing has changed then.
    public func rename(
        _ path: String, to newPath: String, rule: RenameRule = .replace
    ) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let source = try VolumePath(path)
            let target = try VolumePath(newPath)
            try withNames { names, metadata throws(ProtectionError) in
                guard let from = try names.entry(at: source, core, metadata),
                    let to = try names.entry(at: target, core, metadata)
                else { throw .invalidArgument("the top folder stays") }
                try rename(from, to, rule: rule, keepsClass: false, &names, metadata)
            }
        }
    }

    /// Renames under the namespace lock.
    ///
    /// - Parameter keepsClass: whether the class was asked for explicitly, and so wins.
    func rename(
        _ from: EntryPlace, _ to: EntryPlace, rule: RenameRule, keepsClass: Bool,
        _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        let source = try onHost { () throws(HostError) in
            try from.folder.backing.attributes(of: from.entry.hostName)
        }
        let target = try to.folder.hostAttributes(of: to.entry)
        if rule == .exclusive, target != nil { throw .exists }
        if rule == .exchange, target == nil { throw .missing }
        // Two names of one file: POSIX does nothing then.
        if let target, target.identity == source.identity { return }
        try requireMove(from, to, source, target, rule, &names, metadata)
        if source.kind == .regular, target?.kind == .regular, !keepsClass {
            try raise(from, over: to)
            if rule == .exchange { try raise(to, over: from) }
        }
        try core.session.beginWriting(core.keyring)
        let areFolders = source.kind == .folder && target?.kind == .folder
        if areFolders, rule == .replace {
            return try replaceFolder(to, with: from, &names)
        }
        if rule != .exchange, source.kind == .regular {
            remember(from.name, in: from.folder, &names, metadata)
        }
        try renameOnHost(from, to, rule: rule, isNew: target == nil)
        if source.kind == .folder || target?.kind == .folder { names.forgetFolders() }
    }

    /// Refuses what kept modes forbid: to change one of the two folders, or to move a folder that
    /// cannot be written into another one, as its entry for the folder above changes.
    private func requireMove(
        _ from: EntryPlace, _ to: EntryPlace, _ source: HostAttributes, _ target: HostAttributes?,
        _ rule: RenameRule, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        try from.folder.require(.change)
        try to.folder.require(.change)
        guard from.folder.identity != to.folder.identity else { return }
        if source.kind == .folder {
            try names.child(named: from.name, of: from.folder, core, metadata).require(.write)
        }
        if rule == .exchange, target?.kind == .folder {
            try names.child(named: to.name, of: to.folder, core, metadata).require(.write)
        }
    }

    private func renameOnHost(
        _ from: EntryPlace, _ to: EntryPlace, rule: RenameRule, isNew: Bool
    ) throws(ProtectionError) {
        do throws(HostError) {
            try to.folder.makeLongName(of: to.entry)
            try from.folder.backing.rename(
                from.entry.hostName, to: to.folder.backing, as: to.entry.hostName,
                rule: rule.hostRule)
        } catch {
            if isNew { to.folder.removeLongName(of: to.entry) }
            if error.code == HostError.invalidArgument { throw .movedIntoItself }
            throw ProtectionError(error)
        }
        if rule != .exchange { from.folder.removeLongName(of: from.entry) }
    }

    /// Puts a folder in the place of an empty one: they change places, then the empty one goes. So
    /// the name is never missing.
    private func replaceFolder(
        _ empty: EntryPlace, with moved: EntryPlace, _ names: inout Namespace
    ) throws(ProtectionError) {
        guard try isEmptyFolder(empty.entry, in: empty.folder) else {
            // The host has the same reason, or a better one: a folder cannot be moved into itself.
            try renameOnHost(moved, empty, rule: .replace, isNew: false)
            throw .notEmpty
        }
        try renameOnHost(moved, empty, rule: .exchange, isNew: false)
        names.forgetFolders()
        try removeFolder(moved.entry, in: moved.folder, &names)
    }

    /// Gives a file the class that it will need over the one it replaces, durably, before the
    /// rename.
    private func raise(
        _ from: EntryPlace, over to: EntryPlace
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

/// How `ProtectedVolume.rename` treats a new name that is taken.
public enum RenameRule: Sendable, Hashable {
    /// What has the name is replaced.
    case replace
    /// The name must be free: else `exists`.
    case exclusive
    /// The two change places; both must exist.
    case exchange

    var hostRule: HostRenameRule {
        switch self {
        case .replace: .replace
        case .exclusive: .exclusive
        case .exchange: .exchange
        }
    }
}
