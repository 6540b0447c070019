public import FoundationEssentials

extension Data {
    /// Reads a file of a volume.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - options: have no effect: nothing is mapped, and nothing is kept in a cache.
    ///   - files: the volume's files.
    /// - Throws: `CocoaError` 257 over `EPERM` when the file is sealed (`error.isLocked`), 260 when
    ///   it is missing, 259 when it is damaged.
    public init(
        contentsOf url: URL, options: Data.ReadingOptions = [], in files: ProtectedFileManager
    ) throws {
        self = try files.perform(.reading, at: .url(url), files.contents)
    }

    /// Writes a file of a volume; what was written is durable on return.
    ///
    /// With `.atomic` the file is the old one or the new one, whatever happens. Without, a file
    /// that is there keeps its class, unless another is asked for; if writing fails, its old
    /// content is gone. A stronger class is given before anything is written, a weaker one after
    /// the old content is gone. A file that is new and cannot be written leaves nothing behind.
    ///
    /// - Parameters:
    ///   - url: the file; its folder exists. A symbolic link is followed.
    ///   - options: `.atomic`, `.withoutOverwriting` (also together), and at most one class.
    ///     Without a class the rules decide (docs/classes.md).
    ///   - files: the volume's files.
    /// - Throws: `CocoaError` 513 over `EPERM` when the class cannot be written in this lock state
    ///   (`error.isLocked`), 516 when `.withoutOverwriting` finds a file, 640 when the disk is
    ///   full, 512 for two classes at once.
    public func write(
        to url: URL, options: ProtectedWritingOptions = [], in files: ProtectedFileManager
    ) throws {
        try files.perform(.writing, at: .url(url)) { path throws(ProtectionError) in
            try files.write(self, to: path, options)
        }
    }

    /// Writes a file of a volume with a ready-made set of options.
    ///
    /// - Parameter options: a class in it is decoded as a number; see `ProtectedWritingOptions`.
    @_disfavoredOverload  // or a list of options could be meant for either
    public func write(
        to url: URL, options: Data.WritingOptions, in files: ProtectedFileManager
    ) throws {
        try write(to: url, options: ProtectedWritingOptions(options), in: files)
    }
}

extension ProtectedFileManager {
    /// The content of a file. Foundation answers `nil` whatever went wrong; this throws.
    ///
    /// - Throws: as `Data(contentsOf:in:)`.
    public func contents(atPath path: String) throws -> Data {
        try perform(.reading, at: .path(path), contents)
    }

    /// Whether two items have the same content. Foundation answers `false` whatever went wrong;
    /// this throws.
    ///
    /// - Returns: for files, whether the bytes are equal; for folders, whether names, kinds and
    ///   contents are; for symbolic links, whether the targets are.
    /// - Throws: `CocoaError` when that cannot be told, for instance of a sealed file.
    public func contentsEqual(atPath path: String, andPath otherPath: String) throws -> Bool {
        try perform(.reading, at: .path(path)) { one throws(ProtectionError) in
            let other = try self.path(.path(otherPath))
            return try areEqual(one, other)
        }
    }

    func contents(_ path: String) throws(ProtectionError) -> Data {
        let file = try items.open(path, .read)
        defer { file.close() }
        do { return try file.contents() } catch { throw error.at(path) }
    }

    func write(
        _ data: Data, to path: String, _ options: ProtectedWritingOptions
    ) throws(ProtectionError) {
        let wanted = try options.protectionClass()
        guard !options.isAtomic else {
            // A link that leads nowhere is no free name either.
            if options.isExclusive, try items.hasItem(path) {
                throw ProtectionError.exists.at(path)
            }
            let failure = try items.replace(
                path, class: wanted, mode: nil, rule: options.isExclusive ? .exclusive : .replace
            ) { file throws(ProtectionError) in
                try file.write(data.span, at: 0)
            }
            if let failure { throw failure.at(path) }
            return
        }
        let path = options.isExclusive ? path : try items.resolvingLinks(path)
        let (file, isNew) = try openToOverwrite(path, wanted, isExclusive: options.isExclusive)
        defer { file.close() }
        var isEmptied = false
        do throws(ProtectionError) {
            if !isNew { try file.empty(for: wanted) }
            isEmptied = !isNew
            try file.write(data.span, at: 0)
            try file.synchronize(everything: true)
            if isNew { try items.synchronizeFolder(path.parentPath) }
        } catch {
            if isNew { try? items.removeFile(path) }
            throw (isEmptied ? error.whileOverwriting : error).at(path)
        }
    }

    private func openToOverwrite(
        _ path: String, _ wanted: ProtectionClass?, isExclusive: Bool
    ) throws(ProtectionError) -> (any OpenFile, isNew: Bool) {
        do throws(ProtectionError) {
            let file = try items.open(path, [.write, .create, .exclusive], class: wanted)
            return (file, true)
        } catch {
            guard error.code == .exists, !isExclusive else { throw error }
        }
        return (try items.open(path, [.write, .create], class: wanted), false)
    }

    private func areEqual(_ one: String, _ other: String) throws(ProtectionError) -> Bool {
        let kind = try items.attributes(of: one).kind
        guard try items.attributes(of: other).kind == kind else { return false }
        guard kind == .folder else { return try haveEqualContent(one, other, kind) }
        var trees = (FileTree(one, in: items), FileTree(other, in: items))
        while true {
            let steps = (try trees.0.step(), try trees.1.step())
            guard let left = steps.0, let right = steps.1 else {
                return steps.0 == nil && steps.1 == nil
            }
            guard left.name == right.name, left.kind == right.kind, left.level == right.level,
                left.isLeaving == right.isLeaving
            else { return false }
            if left.kind == .folder { continue }
            guard try haveEqualContent(left.path, right.path, left.kind) else { return false }
        }
    }

    private func haveEqualContent(
        _ one: String, _ other: String, _ kind: ItemKind
    ) throws(ProtectionError) -> Bool {
        switch kind {
        case .file: return try contents(one) == contents(other)
        case .symlink:
            return try items.symbolicLinkTarget(of: one) == items.symbolicLinkTarget(of: other)
        default: return true
        }
    }
}

extension OpenFile {
    /// Empties a file that is about to be written anew, and gives it its class: a stronger one
    /// before the old content goes, so that nothing is lost if that is refused; a weaker one
    /// afterwards, so that the old content never has it.
    fileprivate func empty(for wanted: ProtectionClass?) throws(ProtectionError) {
        if let wanted, wanted.isStricter(than: protectionClass) {
            try setProtectionClass(wanted)
        }
        try truncate(to: 0)
        if let wanted, wanted != protectionClass { try setProtectionClass(wanted) }
    }
}
