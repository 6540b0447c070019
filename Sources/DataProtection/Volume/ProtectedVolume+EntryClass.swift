internal import Cryptography
internal import Synchronization

/// What can be told of an entry's class.
enum EntryClass {
    /// It is no file, and does not lead to one.
    case noFile
    /// It is a file of a class.
    case file(ProtectionClass)
    /// It may be a file, but cannot be looked at: it may be of any class.
    case unknown(ProtectionError)

    /// The class that must not get lost when the entry is replaced; `nil` when there is none.
    var toKeep: ProtectionClass? {
        switch self {
        case .noFile: nil
        case .file(let protectionClass): protectionClass
        case .unknown: .complete
        }
    }
}

extension ProtectedVolume {
    /// The class of an entry; of the file that it leads to for a symbolic link, because whoever
    /// saves by its name saves what that file holds.
    func classOfEntry(
        _ place: EntryPlace, _ names: inout Namespace, _ metadata: MetadataKeys
    ) -> EntryClass {
        do throws(ProtectionError) {
            guard let host = try place.hostAttributes() else { return .noFile }
            if host.kind == .symlink {
                guard let target = try names.target(of: place.path, core, metadata),
                    try target.hostAttributes()?.kind == .regular
                else { return .noFile }
                return .file(try classOfFile(target))
            }
            return host.kind == .regular ? .file(try classOfFile(place)) : .noFile
        } catch {
            switch error.code {
            case .missing, .notFolder, .symbolicLink: return .noFile  // a link to nowhere
            default: return .unknown(error)
            }
        }
    }

    /// The class of a file.
    func classOfFile(_ place: EntryPlace) throws(ProtectionError) -> ProtectionClass {
        let (file, identity) = try openHost(place.entry, in: place.folder)
        if let inode = core.inodes.find(identity) { return inode.protectionClass }
        let inspection = try FileInspection(file, session: core.session)
        return inspection.header?.protectionClass ?? classWithoutHeader(file, in: place.folder)
    }

    /// The class of a file whose header a crash kept from being written.
    func classWithoutHeader(_ file: any BackingFile, in folder: Folder) -> ProtectionClass {
        ClassHint.classWithoutHeader(file, folderClass: folder.childClass ?? core.defaultClass)
    }

    /// Notes the class of a file that is about to get a name in a folder of a weaker class: should
    /// a crash take its header, which nobody has synced yet, that folder's class would be its own.
    func noteClass(
        of place: EntryPlace, _ host: HostAttributes, for folder: Folder
    ) {
        guard host.kind == .regular, folder.identity != place.folder.identity,
            let protectionClass = try? classOfFile(place),
            protectionClass.isStricter(than: folder.childClass ?? core.defaultClass),
            let (file, _) = try? openHost(place.entry, in: place.folder)
        else { return }
        ClassHint.set(protectionClass, on: file)
    }

    /// The class of the file that had a name until a moment ago. Editors move X to X~ before they
    /// write X anew, perhaps long before.
    ///
    /// - Parameter identity: the file that is about to get the name, if it is there already: it
    ///   may have been its own, and has nothing to keep then.
    func formerClass(
        of place: EntryPlace, for identity: HostIdentity? = nil, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) -> ProtectionClass? {
        names.remembered(place.name, in: place.folder, for: identity)
            ?? classBeside(
                place, named: CompanionNames.backup(of: place.name), &names, metadata)
    }

    /// The class of another entry in the same folder; `nil` when there is no such file.
    func classBeside(
        _ place: EntryPlace, named name: [UInt8], _ names: inout Namespace, _ metadata: MetadataKeys
    ) -> ProtectionClass? {
        guard let entry = try? place.folder.hostName(of: name, core: core, metadata: metadata)
        else { return nil }
        let path = VolumePath(names: place.path.names.dropLast() + [name])
        return classOfEntry(
            EntryPlace(folder: place.folder, name: name, entry: entry, path: path), &names, metadata
        ).toKeep
    }

    /// Remembers the class of a name that is about to be freed.
    func remember(
        _ place: EntryPlace, _ names: inout Namespace, _ metadata: MetadataKeys
    ) {
        guard core.ruleSet == .safer,
            let known = classOfEntry(place, &names, metadata).toKeep
        else { return }
        let identity = (try? place.hostAttributes())??.identity
        names.remember(known, of: place.name, in: place.folder, identity)
    }

    /// Gives a file the class that it will need under another name, durably, before it gets that
    /// name: that of the file it replaces, or of the one that had the name until a moment ago.
    ///
    /// - Parameter host: what the host says of `from`. What is no file has no class.
    func raise(
        _ from: EntryPlace, _ host: HostAttributes, over to: EntryPlace, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        guard core.ruleSet == .safer, host.kind == .regular else { return }
        let isTaken = try to.hostAttributes() != nil
        let replaced =
            isTaken
            ? classOfEntry(to, &names, metadata).toKeep
            : formerClass(of: to, for: host.identity, &names, metadata)
        guard let replaced else { return }
        switch classOfEntry(from, &names, metadata) {
        case .file(let present):
            let needed = core.ruleSet.classAfterReplacing(replaced, with: present)
            if needed != present { try setClass(needed, of: from.entry, in: from.folder) }
        case .unknown(let error):
            // Of what is damaged nothing can be read in any class.
            if error.code != .damaged { throw error }
        case .noFile: return
        }
    }
}
