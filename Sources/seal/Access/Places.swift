import DataProtection

// A path that ends in a slash means a folder, here as elsewhere.

extension ProtectedVolume {
    /// Where something goes that is copied or moved to `path`: inside, when that is a folder.
    ///
    /// - Parameter source: what it is called now; `nil` when it has no name.
    /// - Throws: when `path` ends in a slash and is no folder, or the folder it is in is missing.
    func place(for source: String?, at path: String, _ arguments: Arguments) throws -> String {
        let kind = try kindIfPresent(of: path)
        if kind == .folder {
            guard let source else { throw Failure("\(path): it is a folder") }
            return joined(path, lastName(of: source))
        }
        guard kind == nil else {
            try requireFolder(ifNamed: path)
            return path
        }
        let folder = isFolderName(path) ? path : folderPart(of: path)
        try requireParent(folder, arguments)
        return path
    }

    /// Refuses a folder that is missing, and says how to make it.
    func requireParent(_ folder: String, _ arguments: Arguments) throws {
        let names = folder.split(separator: "/").map(String.init)
        // A name that cannot be one is said by the operation itself.
        guard names.allSatisfy({ EntryName.fault(of: Array($0.utf8)) == nil }), !names.isEmpty,
            try kindIfPresent(of: folder) == nil
        else { return }
        let name = names.joined(separator: "/")
        let command = ShellWord.seal("mkdir", options: ["-p"], [arguments.volumePath, name])
        throw Failure("\(name): no such folder", remedy: "make it: \(command)")
    }

    /// Refuses a path that ends in a slash and leads to something else than a folder.
    func requireFolder(ifNamed path: String) throws {
        guard isFolderName(path), let kind = try kindIfPresent(of: path), kind != .folder else {
            return
        }
        throw Failure("\(path): it is not a folder")
    }

    /// What is at a path; `nil` when nothing is.
    func kindIfPresent(of path: String) throws -> ItemKind? {
        do throws(ProtectionError) {
            return try attributes(of: path).kind
        } catch {
            if error.code == .missing || error.code == .invalidName { return nil }
            throw error
        }
    }

    private func isFolderName(_ path: String) -> Bool {
        path.hasSuffix("/") && path.contains { $0 != "/" }
    }

    /// The path of the folder that a path is in; empty for the top folder.
    func folderPart(of path: String) -> String {
        path.split(separator: "/").dropLast().joined(separator: "/")
    }
}

/// The last name of a path.
func lastName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
}

/// A name in a folder.
func joined(_ folder: String, _ name: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
}
