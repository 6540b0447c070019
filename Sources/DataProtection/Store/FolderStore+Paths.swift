extension FolderStore {
    /// Makes every folder of a path that is missing, with mode 0700.
    ///
    /// - Parameter path: absolute, or relative to the working folder.
    /// - Throws: `ENOTDIR`, `EACCES`, `ENOSPC`.
    package static func makeFolders(_ path: String) throws(HostError) {
        // Folders that exist may be links, and may forbid being listed; so only what is missing is
        // made.
        if (try? FolderStore(path: path)) != nil { return }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last else { return }
        var parent = parts.dropLast().joined(separator: "/")
        if path.hasPrefix("/") { parent = "/" + parent }
        if parent.isEmpty { parent = "." }
        try makeFolders(parent)
        do {
            try FolderStore(path: parent).root.makeFolder(String(name), mode: 0o700)
        } catch  where error.code == HostError.entryExists {
            // Not a folder, or one that cannot be opened: this says which.
            _ = try FolderStore(path: path)
        }
    }
}
