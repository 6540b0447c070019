public import FoundationEssentials

extension ProtectedFileManager {
    /// The names in a folder, sorted. Allowed in every lock state, unless names are private.
    ///
    /// A name that is damaged is told as a stand-in, under which the entry can be removed.
    /// - Throws: `CocoaError` 260 when it is missing, 256 when it is no folder.
    public func contentsOfDirectory(atPath path: String) throws -> [String] {
        try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            try items.list(path).map(\.name)
        }
    }

    /// The URLs of what is in a folder, sorted by names.
    ///
    /// - Parameters:
    ///   - url: the folder.
    ///   - keys: `nil`, or an empty list: a volume's URLs have no resource values. Ask
    ///     `attributesOfItem(atPath:)`.
    ///   - options: `.skipsHiddenFiles` leaves out names that begin with a dot; the other options
    ///     make no difference to one folder.
    /// - Throws: `CocoaError` 260 when it is missing, 256 when it is no folder.
    public func contentsOfDirectory(
        at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?,
        options: FileManager.DirectoryEnumerationOptions = []
    ) throws -> [URL] {
        try perform(.reading, at: .url(url)) { path throws(ProtectionError) in
            try items.list(path).filter {
                !options.contains(.skipsHiddenFiles) || !$0.name.hasPrefix(".")
            }.map {
                self.url(
                    path.isEmpty ? $0.name : path + "/" + $0.name, isFolder: $0.kind == .folder)
            }
        }
    }

    /// The paths of everything below a folder, seen from there.
    ///
    /// - Throws: `CocoaError` 260 when it is missing, 256 when it is no folder.
    public func subpathsOfDirectory(atPath path: String) throws -> [String] {
        try perform(.reading, at: .path(path)) { path throws(ProtectionError) in
            var tree = FileTree(path, in: items)
            var found: [String] = []
            while let step = try tree.step() {
                guard !step.isLeaving else { continue }
                found.append(step.path(below: path))
            }
            return found
        }
    }

    /// Makes a folder. Allowed in every lock state.
    ///
    /// - Parameters:
    ///   - url: the folder.
    ///   - createIntermediates: whether the folders on the way are made, too, with the same
    ///     attributes, and a folder that is there is no error; it then stays as it is.
    ///   - attributes: as `setAttributes(_:ofItemAtPath:)`. `.protectionKey` is the class that new
    ///     children get; without it, that of the folder it is made in.
    /// - Throws: `CocoaError` 516 when the name is taken, 4 when a folder on the way is missing.
    public func createDirectory(
        at url: URL, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {
        try perform(.writing, at: .url(url)) { path throws(ProtectionError) in
            try makeFolder(path, createIntermediates, attributes)
        }
    }

    /// Makes a folder; see `createDirectory(at:withIntermediateDirectories:attributes:)`.
    public func createDirectory(
        atPath path: String, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {
        try perform(.writing, at: .path(path)) { path throws(ProtectionError) in
            try makeFolder(path, createIntermediates, attributes)
        }
    }

    /// Makes a folder, durably: what is written into it later is not lost with its name.
    func makeFolder(
        _ path: String, _ createIntermediates: Bool, _ attributes: [FileAttributeKey: Any]? = nil
    ) throws(ProtectionError) {
        let wanted = try RequestedAttributes(attributes)
        var missing: [String] = []
        if createIntermediates {
            var folder = path
            while !folder.isEmpty, !(try items.hasItem(folder, followingLinks: true)) {
                missing.append(folder)
                folder = folder.parentPath
            }
            guard !missing.isEmpty else {
                let found = try items.attributes(of: path, followingLinks: true)
                guard found.kind == .folder else { throw ProtectionError.exists.at(path) }
                return
            }
        } else {
            missing = [path]
        }
        var rest = wanted.change
        rest.mode = nil
        for folder in missing.reversed() {
            try items.makeFolder(
                folder, class: wanted.protectionClass, mode: wanted.change.mode ?? 0o700)
            if rest != AttributeChange() { try items.setAttributes(rest, of: folder) }
            try items.synchronizeFolder(folder.parentPath)
        }
    }

    /// Removes a file, or a folder with everything in it. Allowed in every lock state, also for
    /// what is sealed or damaged.
    ///
    /// - Throws: `CocoaError` 4 when it is missing.
    public func removeItem(at url: URL) throws {
        try perform(.writing, at: .url(url)) { path throws(ProtectionError) in
            try items.removeTree(path)
        }
    }

    /// Removes a file, or a folder with everything in it; see `removeItem(at:)`.
    public func removeItem(atPath path: String) throws {
        try perform(.writing, at: .path(path)) { path throws(ProtectionError) in
            try items.removeTree(path)
        }
    }
}

extension FileTree.Step {
    /// The path as seen from the folder in which the walk began.
    func path(below folder: String) -> String {
        folder.isEmpty ? path : String(path.utf8.dropFirst(folder.utf8.count + 1))!
    }
}
