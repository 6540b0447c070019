public import FoundationEssentials

extension ProtectedFileManager {
    /// Gives a file or folder another name or place. Allowed in every lock state; the class stays,
    /// whatever the new folder says.
    ///
    /// - Throws: `CocoaError` 516 when the target's name is taken, 260 when the source is missing,
    ///   4 when the target's folder is.
    public func moveItem(at source: URL, to target: URL) throws {
        try perform(from: .url(source), to: .url(target), move)
    }

    /// Gives a file or folder another name or place; see `moveItem(at:to:)`.
    public func moveItem(atPath source: String, toPath target: String) throws {
        try perform(from: .path(source), to: .path(target), move)
    }

    /// Gives a file a second name. Both are one file of one class; allowed in every lock state.
    ///
    /// - Throws: `CocoaError` 516 when the target's name is taken, 260 when the source is missing.
    public func linkItem(at source: URL, to target: URL) throws {
        try perform(from: .url(source), to: .url(target), link)
    }

    /// Gives a file a second name; see `linkItem(at:to:)`.
    public func linkItem(atPath source: String, toPath target: String) throws {
        try perform(from: .path(source), to: .path(target), link)
    }

    private func move(_ source: String, _ target: String) throws(ProtectionError) {
        _ = try items.attributes(of: source)
        do { try items.rename(source, to: target, rule: .exclusive) } catch {
            throw error.moved(to: target)
        }
    }

    private func link(_ source: String, _ target: String) throws(ProtectionError) {
        _ = try items.attributes(of: source)
        do { try items.link(source, to: target) } catch { throw error.moved(to: target) }
    }

    /// Replaces an item by another one, which is then gone from its own place.
    ///
    /// At no moment is the item's name missing. The result has the stronger of the two classes, in
    /// both rule sets: what replaces a document is the document. For folders that is the class of
    /// new children; what is in the folder is not touched.
    ///
    /// - Parameters:
    ///   - original: what is replaced; it exists.
    ///   - replacement: what takes its place.
    ///   - backupItemName: a name beside `original`. With `.withoutDeletingBackupItem` the old item
    ///     has it afterwards; something else of that name is removed in any case.
    ///   - options: `.usingNewMetadataOnly` leaves mode and user attributes as those of
    ///     `replacement`; else it gets the mode of `original`, and its user attributes in addition.
    /// - Returns: `original`.
    /// - Throws: `CocoaError` 513 over `EPERM` when a stronger class is needed and its key is not
    ///   there: both items are as they were. 4 when one of them is missing.
    @discardableResult
    public func replaceItemAt(
        _ original: URL, withItemAt replacement: URL, backupItemName: String? = nil,
        options: FileManager.ItemReplacementOptions = []
    ) throws -> URL? {
        try perform(.writing, at: .url(original)) { old throws(ProtectionError) in
            let new = try path(.url(replacement))
            let backup: String? =
                if let backupItemName { try backupPath(backupItemName, of: old, new) } else { nil }
            let keepsBackup = options.contains(.withoutDeletingBackupItem)
            try prepare(
                new, toReplace: old, keepsMetadata: !options.contains(.usingNewMetadataOnly))
            if let backup, try items.hasItem(backup) { try items.removeTree(backup) }
            try swap(old, new, backup: keepsBackup ? backup : nil)
            try items.synchronizeFolder(old.parentPath)
        }
        return original
    }

    private func backupPath(
        _ name: String, of old: String, _ new: String
    ) throws(ProtectionError) -> String {
        if let fault = EntryName.fault(of: Array(name.utf8)) { throw .invalidName(fault).at(name) }
        let path = old.parentPath.isEmpty ? name : old.parentPath + "/" + name
        guard path != old, path != new else {
            throw ProtectionError.invalidName("it is the name of one of the two items").at(path)
        }
        return path
    }

    /// Gives an item what it needs before it replaces another one.
    private func prepare(
        _ new: String, toReplace old: String, keepsMetadata: Bool
    ) throws(ProtectionError) {
        guard !old.isEmpty, !new.isEmpty else { throw .topFolderStays }
        let (was, found) = (try items.attributes(of: old), try items.attributes(of: new))
        // A damaged file may have been of any class.
        let former = was.damage == nil ? was.protectionClass : .complete
        if was.kind == found.kind, let former,
            found.protectionClass.map(former.isStricter(than:)) ?? (found.kind == .folder)
        {
            try items.setProtectionClass(former, of: new)
        }
        if keepsMetadata, was.kind == found.kind, was.damage == nil, found.kind != .symlink {
            try items.setAttributes(AttributeChange(mode: was.mode), of: new)
            try items.copyUserAttributes(of: old, to: new)
        }
        // Whoever wrote it may have left it at that. What is sealed cannot be opened to see to it.
        if found.kind == .file, let file = try? items.open(new, .read) {
            try file.synchronize(everything: true)
        }
    }

    private func swap(
        _ old: String, _ new: String, backup: String?
    ) throws(ProtectionError) {
        let kinds = [try items.attributes(of: old).kind, try items.attributes(of: new).kind]
        if kinds.contains(.folder) {
            // A folder has one name only, so the two change places.
            try items.rename(new, to: old, rule: .exchange)
            guard let backup else { return try items.removeTree(new) }
            return try items.rename(new, to: backup)
        }
        if let backup { try items.link(old, to: backup) }
        do throws(ProtectionError) {
            try items.rename(new, to: old)
        } catch {
            if let backup { try? items.removeFile(backup) }
            throw error
        }
    }
}

extension ProtectedFileManager {
    /// Makes a symbolic link. Allowed in every lock state; a link has no class.
    ///
    /// - Parameters:
    ///   - url: the link.
    ///   - destination: where it leads, inside the volume; it need not exist.
    /// - Throws: `CocoaError` 516 when the link's name is taken, 514 when it leads out of the
    ///   volume.
    public func createSymbolicLink(at url: URL, withDestinationURL destination: URL) throws {
        try perform(.writing, at: .url(url)) { path throws(ProtectionError) in
            try items.makeSymbolicLink(path, target: "/" + self.path(.url(destination)))
        }
    }

    /// Makes a symbolic link.
    ///
    /// - Parameters:
    ///   - path: the link.
    ///   - destination: where it leads: an absolute path inside the volume, or a path that is
    ///     relative to the link's folder. It need not exist.
    /// - Throws: as `createSymbolicLink(at:withDestinationURL:)`.
    public func createSymbolicLink(
        atPath path: String, withDestinationPath destination: String
    ) throws {
        try perform(.writing, at: .path(path)) { path throws(ProtectionError) in
            let isAbsolute = destination.hasPrefix("/")
            try items.makeSymbolicLink(
                path, target: isAbsolute ? "/" + self.path(.path(destination)) : destination)
        }
    }

    /// Where a symbolic link leads: a relative path as it was given, or an absolute path below
    /// `rootURL`.
    ///
    /// - Throws: `CocoaError` 256 when it is no link, 260 when it is missing.
    public func destinationOfSymbolicLink(atPath path: String) throws -> String {
        try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            let target = try items.symbolicLinkTarget(of: path)
            return target.hasPrefix("/") ? absolutePath(String(target.dropFirst())) : target
        }
    }
}
