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
    /// - Throws: `sealed`, `noSpace`, `missing` when its folder is; the old file is then untouched.
    public func write(
        _ bytes: [UInt8], to path: String, class protectionClass: ProtectionClass? = nil
    ) throws(ProtectionError) {
        let failure = try replacing(path, class: protectionClass, mode: 0o600) {
            file throws(ProtectionError) in
            try file.write(bytes, at: 0)
        }
        if let failure { throw failure.at(path) }
    }

    /// Writes a file through a handle and puts it in place at the end: it is the old one or the
    /// new one.
    ///
    /// - Parameters:
    ///   - path: the file; one that is there is replaced when `fill` returns.
    ///   - protectionClass: its class. `nil` leaves it to the rules (docs/classes.md).
    ///   - mode: its permission bits.
    ///   - fill: writes the content.
    /// - Throws: what `fill` throws, and `ProtectionError` as `write(_:to:class:)`; the old file is
    ///   then untouched.
    public func replaceFile<Failure: Error>(
        _ path: String, class protectionClass: ProtectionClass? = nil, mode: UInt32 = 0o600,
        fill: (ProtectedFile) throws(Failure) -> Void
    ) throws {
        let failure = try replacing(path, class: protectionClass, mode: mode, fill)
        if let failure = failure as? ProtectionError { throw failure.at(path) }
        if let failure { throw failure }
    }

    /// Replaces a file.
    ///
    /// - Returns: what `fill` threw; `nil` when the new file is in place.
    private func replacing<Failure: Error>(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32,
        _ fill: (ProtectedFile) throws(Failure) -> Void
    ) throws(ProtectionError) -> Failure? {
        try place(path) { () throws(ProtectionError) -> Failure? in
            let parsed = try VolumePath(path)
            guard let name = parsed.last else { throw .isFolder }
            let (from, to, inode) = try withNames { names, metadata throws(ProtectionError) in
                try makeTemporary(
                    for: name, at: parsed, class: protectionClass, mode: mode, &names, metadata)
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
                    try rename(from, to, keepsClass: protectionClass != nil, &names, metadata)
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
    /// crash.
    private func makeTemporary(
        for name: [UInt8], at path: VolumePath, class protectionClass: ProtectionClass?,
        mode: UInt32, _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> (RenameEnd, RenameEnd, Inode) {
        let folder = try names.folder(at: path.names.dropLast(), core, metadata)
        let target = try folder.hostName(of: name, core: core, metadata: metadata)
        let present = try? folder.backing.attributes(of: target.hostName)
        if present?.kind == .folder { throw .isFolder }
        var request = NewFile(protectionClass: protectionClass, mode: mode)
        request.replaced = classOfEntry(target, in: folder).toKeep
        let temporary = EntryName(reserved: ReservedName.random(ReservedName.new))
        let inode = try create(temporary, name: name, in: folder, request, &names, metadata)
        return (
            RenameEnd(folder: folder, name: [], entry: temporary),
            RenameEnd(folder: folder, name: name, entry: target), inode
        )
    }
}
