import DataProtection

/// The names of a volume at one moment: which file or folder each path is.
struct CutTree: Equatable, Sendable {
    /// Files by path; the number says which one.
    var files: [String: Int] = [:]
    /// Folders by path; the number says which one. The top folder is 0.
    var folders: [String: Int] = ["": 0]

    var filePaths: [String] { files.keys.sorted() }
    var folderPaths: [String] { folders.keys.sorted() }

    /// The folder that a path is in.
    static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// Whether something is there.
    func has(_ path: String) -> Bool { files[path] != nil || folders[path] != nil }

    /// Whether a folder holds nothing.
    func isEmpty(_ folder: String) -> Bool {
        let prefix = folder + "/"
        return !files.keys.contains { $0.hasPrefix(prefix) }
            && !folders.keys.contains { $0.hasPrefix(prefix) }
    }

    /// Gives a file or folder, with all that is in it, another path.
    mutating func move(_ path: String, to target: String) {
        if let file = files.removeValue(forKey: path) { files[target] = file }
        guard let folder = folders.removeValue(forKey: path) else { return }
        folders[target] = folder
        let prefix = path + "/"
        for (inner, file) in files where inner.hasPrefix(prefix) {
            files[inner] = nil
            files[target + inner.dropFirst(path.count)] = file
        }
        for (inner, number) in folders where inner.hasPrefix(prefix) {
            folders[inner] = nil
            folders[target + inner.dropFirst(path.count)] = number
        }
    }
}

/// A file's content at one moment.
struct CutFileState: Sendable {
    /// Host operations before the call that made it so, and after.
    var span: ClosedRange<Int>
    var content: [UInt8]
    var protectionClass: ProtectionClass
    /// Whether the file may have holes.
    var isSparse = false
    /// Whether this was promised to be durable when the call returned.
    var isAcknowledged = false
    /// Whether the class was promised to be durable.
    var isClassAcknowledged = false
}

/// The names after one call.
struct CutNames: Sendable {
    var span: ClosedRange<Int>
    var tree: CutTree
}

/// A promise that the names are at least as new as those after some call.
struct CutNamesPromise: Sendable {
    /// The number of host operations at which it was given.
    var givenAt: Int
    /// The index in the list of names.
    var floor: Int
}
