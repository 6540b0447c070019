internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Removes a file. Allowed in every lock state, also for a file that is damaged, or of which
    /// only the long name is left.
    ///
    /// - Throws: `missing`, `isFolder`, `notFolder`.
    public func removeFile(_ path: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            try withNames { names, metadata throws(ProtectionError) in
                guard let place = try names.entry(at: parsed, core, metadata) else {
                    throw .isFolder
                }
                try removeFile(at: place, try place.hostAttributes(), nil, &names, metadata)
            }
        }
    }

    /// Removes a file under the namespace lock.
    ///
    /// - Parameters:
    ///   - host: what the host says of it.
    ///   - protectionClass: its class where that is known already.
    func removeFile(
        at place: EntryPlace, _ host: HostAttributes?, _ protectionClass: ProtectionClass?,
        _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        try place.requireRemovable(host)
        if let host, let protectionClass, core.ruleSet == .safer {
            names.remember(protectionClass, of: place.name, in: place.folder, host.identity)
        } else {
            remember(place, &names, metadata)
        }
        try core.session.beginWriting(core.keyring)
        if host != nil {
            try onHost { () throws(HostError) in
                try place.folder.backing.removeFile(place.entry.hostName)
            }
        }
        place.folder.removeLongName(of: place.entry)
    }

    /// Renames or moves a file or folder. Allowed in every lock state; the class stays.
    ///
    /// A file that has the new name is replaced. With the rules `safer` the file then has the
    /// stronger of the two classes, also where the new name was another file's until a moment ago;
    /// files that change places both get it. A symbolic link is renamed itself.
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
        let target = try to.hostAttributes()
        if rule == .exclusive, target != nil { throw .exists }
        if rule == .exchange, target == nil { throw .missing }
        // Two names of one file: POSIX does nothing then.
        if let target, target.identity == source.identity { return }
        try requireMove(from, to, source, target, rule, &names, metadata)
        // The class that it had under its old name, not the one that the new name gives it.
        if rule != .exchange, !from.name.isEmpty { remember(from, &names, metadata) }
        if !keepsClass {
            try raise(from, source, over: to, &names, metadata)
            if rule == .exchange, let target { try raise(to, target, over: from, &names, metadata) }
        }
        try core.session.beginWriting(core.keyring)
        noteClass(of: from, source, for: to.folder)
        if rule == .exchange, let target { noteClass(of: to, target, for: from.folder) }
        let areFolders = source.kind == .folder && target?.kind == .folder
        if areFolders, rule == .replace {
            return try replaceFolder(to, with: from, &names)
        }
        try renameOnHost(from, to, rule: rule)
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
        _ from: EntryPlace, _ to: EntryPlace, rule: RenameRule
    ) throws(ProtectionError) {
        do throws(HostError) {
            try to.folder.making(to.entry) { () throws(HostError) in
                try from.folder.backing.rename(
                    from.entry.hostName, to: to.folder.backing, as: to.entry.hostName,
                    rule: rule.hostRule)
            }
        } catch {
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
            try renameOnHost(moved, empty, rule: .replace)
            throw .notEmpty
        }
        try renameOnHost(moved, empty, rule: .exchange)
        names.forgetFolders()
        try removeFolder(moved.entry, in: moved.folder, &names)
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
