public import FoundationEssentials

/// Everything below a folder of a volume, depth first, in the order of names: what Foundation's
/// `FileManager.DirectoryEnumerator` is for the host.
///
///     let everything = try files.enumerator(at: folder)
///     for url in everything {
///         if url.lastPathComponent == "Caches" { everything.skipDescendants() }
///     }
///
/// Symbolic links are not followed. What is shown may be removed at once: a folder that is gone
/// when its turn to be listed comes is passed over, unless there is an error handler to tell. It
/// can be gone through once, by one thread.
public final class ProtectedFileEnumerator: Sequence, IteratorProtocol {
    private let files: ProtectedFileManager
    private let options: FileManager.DirectoryEnumerationOptions
    private let handleError: ((URL, any Error) -> Bool)?
    private var tree: FileTree

    /// How deep the last item was: 1 for what is in the folder itself.
    public private(set) var level = 0

    /// Why the enumeration ended early: the `CocoaError` of a folder that could not be listed;
    /// `nil` when it did not.
    public private(set) var error: (any Error)?

    init(
        _ path: String, in files: ProtectedFileManager,
        options: FileManager.DirectoryEnumerationOptions,
        errorHandler: ((URL, any Error) -> Bool)?
    ) {
        self.files = files
        self.options = options
        handleError = errorHandler
        tree = FileTree(path, in: files.items)
    }

    /// The next item; `nil` at the end, and after an error that the handler does not want to go on
    /// behind.
    public func next() -> URL? {
        while error == nil {
            do throws(ProtectionError) {
                guard let step = try tree.step() else { return nil }
                if step.isLeaving { continue }
                if options.contains(.skipsHiddenFiles), step.name.hasPrefix(".") {
                    tree.skipDescendants()
                    continue
                }
                if options.contains(.skipsSubdirectoryDescendants) { tree.skipDescendants() }
                level = step.level
                return files.url(step.path, isFolder: step.kind == .folder)
            } catch {
                // Whoever removes what he is shown has removed a folder before it is listed.
                if error.code == .missing, handleError == nil { continue }
                let folder = files.url(error.place, isFolder: true)
                let found = files.cocoaError(error, .reading, at: .url(folder))
                if handleError?(folder, found) != true { self.error = found }
            }
        }
        return nil
    }

    /// The next item, under Foundation's name.
    public func nextObject() -> URL? { next() }

    /// Leaves out what is in the folder that was last returned.
    public func skipDescendants() { tree.skipDescendants() }
}

extension ProtectedFileManager {
    /// Everything below a folder, depth first.
    ///
    /// - Parameters:
    ///   - url: the folder.
    ///   - keys: `nil`, or an empty list: a volume's URLs have no resource values.
    ///   - options: `.skipsHiddenFiles`, `.skipsSubdirectoryDescendants`; packages are folders like
    ///     others.
    ///   - errorHandler: is told of each folder that cannot be listed, and says whether to go on.
    ///     Without one the enumeration ends there, and its `error` says why; but a folder that was
    ///     removed meanwhile is passed over.
    /// - Throws: `CocoaError` when the folder itself cannot be listed, 3328 for other options.
    public func enumerator(
        at url: URL, includingPropertiesForKeys keys: [URLResourceKey]? = nil,
        options: FileManager.DirectoryEnumerationOptions = [],
        errorHandler: ((URL, any Error) -> Bool)? = nil
    ) throws -> ProtectedFileEnumerator {
        try perform(.reading, at: .url(url)) { path throws(ProtectionError) in
            let known: FileManager.DirectoryEnumerationOptions = [
                .skipsHiddenFiles, .skipsSubdirectoryDescendants, .skipsPackageDescendants,
            ]
            guard options.isSubset(of: known) else { throw .unsupportedEnumeration }
            _ = try items.list(path)
            return ProtectedFileEnumerator(
                path, in: self, options: options, errorHandler: errorHandler)
        }
    }
}
