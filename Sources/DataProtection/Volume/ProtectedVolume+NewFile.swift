internal import Cryptography
internal import Synchronization

/// What is asked of a file that is made.
struct NewFile {
    var protectionClass: ProtectionClass?
    var mode: UInt32
    /// The class of a file that this one is about to replace.
    var replaced: ProtectionClass?
    /// Whose it is to be; `nil` for this process's user.
    var owner: NewOwner?
}

/// For whom something is made by a process that serves several users.
package struct NewOwner: Sendable, Hashable {
    /// The owner's number.
    package var user: UInt32
    /// The group's number; `nil` for the one that the host has chosen.
    package var group: UInt32?

    /// Names an owner.
    package init(user: UInt32, group: UInt32?) {
        self.user = user
        self.group = group
    }

    /// What is to be changed of an entry that was made with a mode.
    func change(mode: UInt32?) -> HostAttributeChange {
        var change = HostAttributeChange()
        change.owner = user
        change.group = group
        change.mode = mode
        return change
    }
}

extension ProtectedVolume {
    /// Makes a file: one step, rolled back if it fails.
    func create(
        _ place: EntryPlace, _ request: NewFile, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Inode {
        let (folder, entry) = (place.folder, place.entry)
        // An existing name is reported before a class that cannot be made.
        try place.requireFree()
        let inherited = folder.childClass ?? core.defaultClass
        let protectionClass = core.ruleSet.classOfNewFile(
            in: context(of: place, request, &names, metadata))
        try core.requireCreating(protectionClass)
        try core.session.beginWriting(core.keyring)
        var header = core.newHeader(protectionClass)
        header.keptMode = KeptMode.ofFile(request.mode)
        let key = try core.makeFileKey(for: &header)
        let file: any BackingFile
        do throws(HostError) {
            file = try folder.making(entry) { () throws(HostError) in
                try folder.backing.createFile(entry.hostName, mode: request.mode | 0o600)
            }
        } catch {
            throw ProtectionError(error)
        }
        do {
            if let owner = request.owner {
                let change = owner.change(mode: request.mode | 0o600)
                try onHost { () throws(HostError) in try file.setAttributes(change) }
            }
            let identity = try onHost { () throws(HostError) in try file.attributes().identity }
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
        of place: EntryPlace, _ request: NewFile, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) -> NewFileContext {
        var context = NewFileContext(volume: core.defaultClass)
        context.explicit = request.protectionClass
        context.folder = place.folder.childClass
        context.replaced = request.replaced
        guard core.ruleSet == .safer, request.protectionClass == nil else {
            return context
        }
        context.remembered = formerClass(of: place, &names, metadata)
        let text = String(decoding: place.name, as: UTF8.self)
        context.isSharedMemory = CompanionNames.isSharedMemory(text)
        if let owner = companionNames.owner(of: text) {
            context.companion = classBeside(place, named: Array(owner.utf8), &names, metadata)
        }
        return context
    }
}
