internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Writes a file afresh under a new key: the file is the old one or the new one, whatever
    /// happens, and durable on return.
    ///
    /// A change of class wraps the same file key anew, so a copy of the old header, in a snapshot
    /// or a backup, opens also what is written later. After this call it does not. What the old
    /// copy holds itself stays as open as it was (SECURITY.md).
    ///
    /// Content and holes, permission bits, owner, times and user attributes are kept. The file gets
    /// another inode number.
    ///
    /// - Parameters:
    ///   - path: the file; a symbolic link is followed.
    ///   - protectionClass: its class from then on; `nil` keeps the class that it has.
    ///   - progress: told of so many bytes, as they are written.
    /// - Throws: `sealed` when the present class cannot be opened, or the new one not be made, in
    ///   this lock state; `notSupported` for a file with several names, which would come apart;
    ///   `busy` when the file is open, or was opened or moved meanwhile; `forbidden` when its
    ///   owner cannot be kept; `missing`, `isFolder`, `damaged`, `noSpace`. The old file is then
    ///   untouched.
    public func reencrypt(
        _ path: String, class protectionClass: ProtectionClass? = nil,
        progress: (Int64) -> Void = { _ in }
    ) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            let target = try withNames { names, metadata throws(ProtectionError) in
                guard let found = try names.target(of: parsed, core, metadata) else {
                    throw .isFolder
                }
                return found
            }
            try reencrypt(target, class: protectionClass, progress)
        }
    }

    /// Writes the file of an entry afresh.
    func reencrypt(
        _ target: EntryPlace, class protectionClass: ProtectionClass?, _ progress: (Int64) -> Void
    ) throws(ProtectionError) {
        let rewriting = try withNames { names, metadata throws(ProtectionError) in
            try beginRewriting(target, class: protectionClass, &names, metadata)
        }
        do throws(ProtectionError) {
            try rewriting.copyContent(progress)
            try withNames { _, metadata throws(ProtectionError) in
                try finish(rewriting, metadata)
            }
        } catch {
            try? target.folder.backing.removeFile(rewriting.temporary.hostName)
            throw error
        }
    }

    /// Makes the new file, under a name that is swept after a crash.
    private func beginRewriting(
        _ target: EntryPlace, class protectionClass: ProtectionClass?, _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> Rewriting {
        let folder = target.folder
        let host = try onHost { () throws(HostError) in
            try folder.backing.attributes(of: target.entry.hostName)
        }
        guard host.kind == .regular else { throw host.kind == .folder ? .isFolder : .notAFile }
        guard host.linkCount == 1 else { throw .severalNames(host.linkCount) }
        guard core.inodes.find(host.identity) == nil else { throw .fileInUse }
        let old = try holdExisting(target.entry, in: folder)
        let oldFile = ProtectedFile(inode: old, options: .read)
        let attributes = try old.attributes()
        // Nothing that does not verify is signed anew.
        if let damage = attributes.damage { throw .damaged(damage) }
        let temporary = EntryName(reserved: ReservedName.random(ReservedName.new))
        let request = NewFile(
            protectionClass: protectionClass ?? old.protectionClass, mode: attributes.mode)
        let new = try create(
            EntryPlace(
                folder: folder, name: target.name, entry: temporary, path: target.path), request,
            &names, metadata)
        let rewriting = Rewriting(
            target: target, temporary: temporary, old: old, oldFile: oldFile, new: new,
            newFile: ProtectedFile(inode: new, options: .readWrite))
        do throws(ProtectionError) {
            // Whoever may not keep the owner is to know before everything is copied.
            try rewriting.copyOwner(metadata)
        } catch {
            try? folder.backing.removeFile(temporary.hostName)
            throw error
        }
        return rewriting
    }

    /// Puts the new file in the place of the old one, if nobody has had to do with that meanwhile.
    private func finish(
        _ rewriting: Rewriting, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        let folder = rewriting.target.folder
        let hostName = rewriting.target.entry.hostName
        let host = try onHost { () throws(HostError) in
            try folder.backing.attributes(of: hostName)
        }
        guard host.identity == rewriting.old.identity, host.linkCount == 1,
            core.inodes.wasHeldOnce(rewriting.old)
        else { throw .changedMeanwhile }
        try rewriting.copyAttributes(core, metadata)
        // Not every host keeps changes of attributes and names in order. The content is durable
        // already, so nobody waits long for names.
        try rewriting.new.sync(everything: true)
        try onHost { () throws(HostError) in
            try folder.backing.rename(
                rewriting.temporary.hostName, to: folder.backing, as: hostName, rule: .replace)
            try folder.backing.sync()
        }
    }
}

/// A file that is being written afresh.
private struct Rewriting {
    let target: EntryPlace
    /// The new file's name until it takes its place.
    let temporary: EntryName
    let old: Inode
    let oldFile: ProtectedFile
    let new: Inode
    let newFile: ProtectedFile

    /// Copies everything but holes, and makes it durable.
    func copyContent(_ progress: (Int64) -> Void) throws(ProtectionError) {
        let byteCount = Workspace.pageCount * PageLayout.payloadByteCount
        var buffer = [UInt8](repeating: 0, count: byteCount)
        defer { Wipe.zero(&buffer) }
        var offset: Int64 = 0
        while let start = try oldFile.nextData(from: offset) {
            let end = try oldFile.nextHole(from: start) ?? start
            offset = start
            while offset < end {
                var span = buffer.mutableSpan
                var part = span._mutatingExtracting(
                    first: Int(min(Int64(byteCount), end - offset)))
                let count = try oldFile.read(into: &part, at: offset)
                guard count > 0 else { throw .changedMeanwhile }
                try newFile.write(buffer.span.extracting(first: count), at: offset)
                offset += Int64(count)
                progress(Int64(count))
            }
        }
        if newFile.size < oldFile.size { try newFile.truncate(to: oldFile.size) }
        try newFile.synchronize()
    }

    /// Gives the new file the owner and group of the old one.
    func copyOwner(_ metadata: MetadataKeys) throws(ProtectionError) {
        let present = try old.attributes()
        let made = try new.attributes()
        var change = HostAttributeChange()
        change.owner = present.owner == made.owner ? nil : present.owner
        change.group = present.group == made.group ? nil : present.group
        guard change != HostAttributeChange() else { return }
        change.mode = present.mode
        try new.setAttributes(change, metadata)
    }

    /// Gives the new file everything else that the old one has at this moment.
    func copyAttributes(_ core: VolumeCore, _ metadata: MetadataKeys) throws(ProtectionError) {
        let host = try old.state.withLock { state throws(ProtectionError) in
            try state.hostAttributes()
        }
        let newFile = new.state.withLock { $0.file }
        let oldFile = old.state.withLock { $0.file }
        try SealedAttributes(host: oldFile.userAttributes, core: core, metadata: metadata)
            .copy(to: newFile.userAttributes)
        try copyOwner(metadata)
        var change = HostAttributeChange()
        change.mode = try old.attributes().mode
        try new.setAttributes(change, metadata)
        // Last, for everything before it changes them.
        change = HostAttributeChange()
        change.accessTime = .time(host.accessTime)
        change.modificationTime = .time(host.modificationTime)
        try new.setAttributes(change, metadata)
    }
}
