internal import Cryptography
internal import Synchronization

/// What is asked of a file that is made.
struct NewFile {
    var protectionClass: ProtectionClass?
    var mode: UInt32
    /// The class of a file that this one is about to replace.
    var replaced: ProtectionClass?
}

extension ProtectedVolume {
    /// Makes a file: one step, rolled back if it fails.
    func create(
        _ entry: EntryName, name: [UInt8], in folder: Folder, _ request: NewFile,
        _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Inode {
        // An existing name is reported before a class that cannot be made.
        if try folder.hostAttributes(of: entry) != nil { throw .exists }
        try folder.require(.change)
        let inherited = folder.childClass ?? core.defaultClass
        let protectionClass = core.ruleSet.classOfNewFile(
            in: try context(of: name, in: folder, request, &names, metadata))
        try core.requireCreating(protectionClass)
        try core.session.beginWriting(core.keyring)
        var header = core.newHeader(protectionClass)
        header.keptMode = KeptMode.ofFile(request.mode)
        let key = try core.makeFileKey(for: &header)
        let file: any BackingFile
        let identity: HostIdentity
        do throws(HostError) {
            try folder.makeLongName(of: entry)
            file = try folder.backing.createFile(entry.hostName, mode: request.mode | 0o600)
            identity = try file.attributes().identity
        } catch {
            if error.code != HostError.entryExists { folder.removeLongName(of: entry) }
            throw ProtectionError(error)
        }
        do {
            if protectionClass.isStricter(than: inherited) {
                ClassHint.set(protectionClass, on: file)
            }
            let state = Inode.State(file: file, header: header, key: key, size: 0)
            try state.writeEmptyPage(core)
            try state.restoreMode(request.mode)
            let inode = Inode(identity: identity, core: core, state: state)
            return try core.inodes.hold(identity) { () throws(ProtectionError) in
                // A lock that came in between has not seen this key.
                if !core.accessRules.allowsUsingHandle(of: protectionClass, in: core.keyring.state)
                {
                    inode.forgetKey()
                }
                return inode
            }
        } catch {
            try? folder.backing.removeFile(entry.hostName)
            folder.removeLongName(of: entry)
            throw error
        }
    }

    /// Collects what may speak when a new file gets its class.
    private func context(
        of name: [UInt8], in folder: Folder, _ request: NewFile, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> NewFileContext {
        var context = NewFileContext(volume: core.defaultClass)
        context.explicit = request.protectionClass
        context.folder = folder.childClass
        context.replaced = request.replaced
        guard core.ruleSet == .safer, request.protectionClass == nil else {
            return context
        }
        // Editors move X to X~ before they write X anew, perhaps long before.
        context.remembered =
            names.remembered(name, in: folder)
            ?? classOfEntry(CompanionNames.backup(of: name), in: folder, metadata)
        let text = String(decoding: name, as: UTF8.self)
        context.isSharedMemory = CompanionNames.isSharedMemory(text)
        if let owner = companionNames.owner(of: text) {
            context.companion = classOfEntry(Array(owner.utf8), in: folder, metadata)
        }
        return context
    }

    /// The class of an entry, if there is such a file and it tells.
    func classOfEntry(
        _ name: [UInt8], in folder: Folder, _ metadata: MetadataKeys
    ) -> ProtectionClass? {
        guard let entry = try? folder.hostName(of: name, core: core, metadata: metadata) else {
            return nil
        }
        return classOfEntry(entry, in: folder).known
    }

    /// The class of an entry, as far as it can be told.
    func classOfEntry(_ entry: EntryName, in folder: Folder) -> EntryClass {
        do throws(ProtectionError) {
            guard try folder.hostAttributes(of: entry)?.kind == .regular else { return .noFile }
        } catch {
            return .unknown
        }
        guard let (file, identity) = try? openHost(entry, in: folder) else { return .unknown }
        if let inode = core.inodes.find(identity) { return .file(inode.protectionClass) }
        guard let inspection = try? FileInspection(file, session: core.session) else {
            return .unknown
        }
        return .file(inspection.header?.protectionClass ?? classWithoutHeader(file, in: folder))
    }

    /// The class of a file whose header a crash kept from being written.
    func classWithoutHeader(_ file: any BackingFile, in folder: Folder) -> ProtectionClass {
        ClassHint.classWithoutHeader(file, folderClass: folder.childClass ?? core.defaultClass)
    }
}

/// What can be told of an entry's class.
enum EntryClass {
    /// It is no file.
    case noFile
    /// It is a file of a class.
    case file(ProtectionClass)
    /// It is a file whose header is damaged: it may have been of any class.
    case unknown

    /// The class; `nil` when there is none, or none that is known.
    var known: ProtectionClass? {
        if case .file(let protectionClass) = self { protectionClass } else { nil }
    }

    /// The class that must not get lost when the entry is replaced; `nil` when there is none.
    var toKeep: ProtectionClass? {
        switch self {
        case .noFile: nil
        case .file(let protectionClass): protectionClass
        case .unknown: .complete
        }
    }
}
