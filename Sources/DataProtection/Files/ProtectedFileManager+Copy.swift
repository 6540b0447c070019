public import FoundationEssentials

extension ProtectedFileManager {
    /// Copies a file, or a folder with everything in it. The copy appears when it is whole and
    /// durable; one that fails leaves nothing.
    ///
    /// Each file's copy has the file's own class, whatever its new folder says; so have modes, user
    /// attributes and times. Symbolic links are copied as links; a file with several names becomes
    /// several files.
    ///
    /// - Parameters:
    ///   - source: what is copied.
    ///   - target: the copy; its folder exists.
    /// - Throws: `CocoaError` 516 when the target's name is taken, 260 when the source is missing,
    ///   257 over `EPERM` when a file of it is sealed, 513 over `EPERM` when a class cannot be
    ///   made.
    public func copyItem(at source: URL, to target: URL) throws {
        try perform(from: .url(source), to: .url(target), copyTree)
    }

    /// Copies a file, or a folder with everything in it; see `copyItem(at:to:)`.
    public func copyItem(atPath source: String, toPath target: String) throws {
        try perform(from: .path(source), to: .path(target), copyTree)
    }

    private func copyTree(_ source: String, _ target: String) throws(ProtectionError) {
        let found = try items.attributes(of: source)
        if try items.hasItem(target) { throw ProtectionError.exists.at(target) }
        switch found.kind {
        case .file:
            let file = try items.open(source, [.read, .noFollow])
            defer { file.close() }
            let failure = try items.replace(
                target, class: file.protectionClass, mode: found.mode, rule: .exclusive
            ) { copy throws(ProtectionError) in
                try file.copyEverything(to: copy, from: source)
            }
            if let failure { throw failure.at(target) }
        case .folder:
            guard !source.isEmpty, !(target + "/").hasPrefix(source + "/") else {
                throw ProtectionError.copiedIntoItself.at(source)
            }
            try copyFolder(source, target, found)
        default: try copyNode(source, target, found)
        }
    }

    /// Copies a folder to a temporary place, and then gives it its name.
    private func copyFolder(
        _ source: String, _ target: String, _ found: ItemAttributes
    ) throws(ProtectionError) {
        let place = try items.makeTemporaryFolder(class: nil)
        defer { try? items.removeTree(place, changesModes: true) }
        let copy = place + "/copy"
        try makeCopy(of: found, at: copy)
        var tree = FileTree(source, in: items)
        while let step = try tree.step() {
            // The copy of the temporary folder would hold itself, without end.
            if step.path == place {
                tree.skipDescendants()
                continue
            }
            let path = copy + "/" + step.path(below: source)
            if step.isLeaving {
                try finishCopy(of: step.path, at: path)
                continue
            }
            let found = try items.attributes(of: step.path)
            switch found.kind {
            case .file: try copyFile(step.path, path, found)
            case .folder: try makeCopy(of: found, at: path)
            default: try copyNode(step.path, path, found)
            }
        }
        try finishCopy(of: source, at: copy)
        try items.rename(copy, to: target, rule: .exclusive)
        try items.synchronizeFolder(target.parentPath)
    }

    private func copyFile(
        _ source: String, _ target: String, _ found: ItemAttributes
    ) throws(ProtectionError) {
        let file = try items.open(source, [.read, .noFollow])
        defer { file.close() }
        let copy = try items.open(
            target, [.write, .create, .exclusive], class: file.protectionClass, mode: found.mode)
        defer { copy.close() }
        try file.copyEverything(to: copy, from: source)
        do { try copy.synchronize(everything: true) } catch { throw error.at(target) }
    }

    /// Makes the copy of a folder, open for what comes into it.
    private func makeCopy(of found: ItemAttributes, at path: String) throws(ProtectionError) {
        try items.makeFolder(path, class: found.protectionClass)
        if found.protectionClass == nil { try items.setProtectionClass(nil, of: path) }
    }

    /// Gives the copy of a folder what would have been in the way, or changed, before.
    private func finishCopy(of source: String, at path: String) throws(ProtectionError) {
        try items.copyUserAttributes(of: source, to: path)
        try items.synchronizeFolder(path)
        let found = try items.attributes(of: source)
        var change = found.times
        change.mode = found.mode
        try items.setAttributes(change, of: path)
    }

    private func copyNode(
        _ source: String, _ target: String, _ found: ItemAttributes
    ) throws(ProtectionError) {
        if found.kind == .symlink {
            try items.makeSymbolicLink(
                target, target: try items.symbolicLinkTarget(of: source))
        } else {
            try items.makeNode(
                target, found.kind, mode: found.mode, deviceNumber: found.deviceNumber)
        }
        try items.setAttributes(found.times, of: target, followingLinks: false)
    }
}

extension ItemAttributes {
    /// The change that gives another item the same times.
    var times: AttributeChange {
        var change = AttributeChange()
        change.accessTime = .time(accessTime)
        change.modificationTime = .time(modificationTime)
        return change
    }
}
