public import FoundationEssentials

extension ProtectedVolume {
    /// The volume's files, in the shape of Foundation's `FileManager`.
    ///
    ///     let files = items.files
    ///     let documents = files.urls(for: .documentDirectory, in: .userDomainMask)[0]
    ///     let note = documents.appending(path: "note.txt")
    ///     try data.write(to: note, options: [.atomic, .completeFileProtection], in: files)
    public var files: ProtectedFileManager { ProtectedFileManager(volume: self) }
}

/// A volume's files, in the shape of Foundation's `FileManager`.
///
/// Files are named by URLs below `rootURL`, by the paths of these, or by relative paths, which
/// begin at the volume's top; an absolute path elsewhere is refused. `.` and `..` are resolved in
/// the text, before the volume sees it. Every call can be made from any thread.
///
/// Every call throws `CocoaError` with Foundation's codes: `error.isLocked` tells a file that waits
/// for the unlock from one that is forbidden, missing or damaged, and `error.protectionError` says
/// what happened and what to do. Where Foundation answers a question with `false` or `nil` for
/// whatever went wrong, the call here throws.
public final class ProtectedFileManager: Sendable {
    /// The volume, which stays open as long as the manager is there; `nil` for one that another
    /// process has mounted (`init(mountedAt:)`).
    public let volume: ProtectedVolume?
    let items: any VolumeItems
    /// The URL of the volume's top folder.
    ///
    /// It is no place on the host, and nothing can be made there, not even by root: a call of
    /// `FileManager.default`, or a `write` without `in:`, that was forgotten fails instead of
    /// leaving plaintext.
    public let rootURL: URL
    private let rootNames: [String]

    /// Where the URLs of all volumes begin: the process file system refuses every new name.
    private static let hostlessFolder = "/proc/data-protection/"

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - volume: the volume.
    ///   - rootPath: where its top folder is said to be, absolute; `nil` for where nothing can be.
    package init(volume: ProtectedVolume, rootPath: String? = nil) {
        self.volume = volume
        items = volume
        let path = rootPath ?? Self.hostlessFolder + volume.identifier
        rootURL = URL(filePath: path, directoryHint: .isDirectory)
        rootNames = path.utf8.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
    }

    /// The files of a volume that another process has mounted, for a program inside the mount.
    ///
    ///     let files = try ProtectedFileManager(mountedAt: "/home/ada/Vault")
    ///     try data.write(to: note, options: .completeFileProtection, in: files)
    ///
    /// The calls do the same as in a volume of one's own, and end with the same errors. Whether the
    /// volume is locked is told by `MountedVolume`, in the module AgentControl. What differs is in
    /// docs/mount.md.
    /// - Parameter path: the folder that the volume is mounted at, absolute; it becomes `rootURL`.
    /// - Throws: `CocoaError` 3328 when no volume is mounted there, 260 when there is no such
    ///   folder.
    public init(mountedAt path: String) throws {
        do throws(ProtectionError) {
            let items = try MountedItems(path: path)
            self.items = items
            volume = nil
            rootURL = URL(filePath: items.path, directoryHint: .isDirectory)
            rootNames = items.path.utf8.split(separator: UInt8(ascii: "/")).compactMap {
                String($0)
            }
        } catch {
            throw CocoaError(error, .reading, path: path)
        }
    }

    /// The path of a file inside the volume, for the calls of `ProtectedVolume`.
    ///
    /// - Returns: names with `/` between; empty for the top folder.
    /// - Throws: `CocoaError` 258 for a URL that is none of the volume's.
    public func volumePath(of url: URL) throws -> String {
        try perform(.reading, at: .url(url)) { path throws(ProtectionError) in path }
    }

    /// What is known of a file, or of what a symbolic link leads to.
    package func attributes(of url: URL) throws -> ItemAttributes {
        try perform(.reading, at: .url(url)) { path throws(ProtectionError) in
            try items.attributes(of: path, followingLinks: true)
        }
    }

    /// The path of the top folder, without a slash at its end.
    var rootPath: String { "/" + rootNames.joined(separator: "/") }
}

extension ProtectedFileManager {
    /// The path inside the volume of what a caller named.
    ///
    /// - Returns: names with `/` between; empty for the top folder.
    func path(_ place: FilePlace) throws(ProtectionError) -> String {
        switch place {
        case .path(let text): return try path(text)
        case .url(let url):
            // A URL whose path is no text has an empty one, which must not mean the top folder.
            guard url.isFileURL, url.path.hasPrefix("/") else {
                throw .invalidName("it is no file's URL").at(url.absoluteString)
            }
            return try path(url.path)
        }
    }

    private func path(_ text: String) throws(ProtectionError) -> String {
        guard !text.isEmpty else { throw .invalidName("it is empty") }
        var names: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: "/")) {
            let name = String(decoding: part, as: UTF8.self)
            switch name {
            case ".": break
            case "..":
                guard names.popLast() != nil else { throw .outside(rootPath).at(text) }
            default: names.append(name)
            }
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return names.joined(separator: "/") }
        guard names.starts(with: rootNames) else { throw .outside(rootPath).at(text) }
        return names.dropFirst(rootNames.count).joined(separator: "/")
    }

    /// The URL of a path inside the volume.
    func url(_ path: String, isFolder: Bool) -> URL {
        path.isEmpty
            ? rootURL
            : rootURL.appending(path: path, directoryHint: isFolder ? .isDirectory : .notDirectory)
    }

    /// The absolute path of a path inside the volume.
    func absolutePath(_ path: String) -> String {
        path.isEmpty ? rootPath : rootPath + "/" + path
    }

    /// Makes a call, and gives its error Foundation's form.
    func perform<Result>(
        _ access: FileAccess, at place: FilePlace,
        _ body: (String) throws(ProtectionError) -> Result
    ) throws -> Result {
        do throws(ProtectionError) {
            return try body(try path(place))
        } catch {
            throw cocoaError(error, access, at: place)
        }
    }

    /// Makes a call about two files. What goes wrong at the first is said as a failure to read.
    func perform<Result>(
        from source: FilePlace, to target: FilePlace,
        _ body: (String, String) throws(ProtectionError) -> Result
    ) throws -> Result {
        var (access, place) = (FileAccess.reading, source)
        do throws(ProtectionError) {
            let sourcePath = try path(source)
            (access, place) = (.writing, target)
            let targetPath = try path(target)
            do throws(ProtectionError) {
                return try body(sourcePath, targetPath)
            } catch {
                // The target may be below the source.
                if error.isAt(sourcePath), !error.isAt(targetPath) {
                    (access, place) = (.reading, source)
                }
                throw error
            }
        } catch {
            throw cocoaError(error, access, at: place)
        }
    }

    /// An error in Foundation's form.
    func cocoaError(
        _ error: ProtectionError, _ access: FileAccess, at place: FilePlace,
        code: CocoaError.Code? = nil
    ) -> CocoaError {
        let url: URL?
        let given: String
        switch place {
        case .path(let path): (url, given) = (nil, path)
        case .url(let named): (url, given) = (named, named.path)
        }
        return CocoaError(error.at(given), access, path: given, url: url, code: code)
    }
}

extension ProtectionError {
    /// Whether it happened at a path or below it.
    fileprivate func isAt(_ path: String) -> Bool {
        place == path || place.hasPrefix(path + "/")
    }
}
