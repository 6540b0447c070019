extension Folder {
    /// What rclone puts behind the name of a symbolic link that it stores as a file.
    static let storedLinkSuffix = ".rclonelink"
    private static let storedLinkName = ReservedName.folder + storedLinkSuffix

    /// What became of a folder's record, when it does not verify.
    static func loss(of backing: any BackingFolder) -> FolderLoss {
        switch try? backing.attributes(of: ReservedName.folder).kind {
        case .symlink: .damaged
        case .some: .storedAsFile(ReservedName.folder)
        case .none:
            (try? backing.attributes(of: storedLinkName)) == nil
                ? .missing : .storedAsFile(storedLinkName)
        }
    }
}

extension ProtectedVolume {
    /// Why the names in a folder are lost; `nil` when they are not, or it is no folder.
    ///
    /// - Throws: `missing`, `notFolder`, `sealed` when names are private.
    package func lossOfNames(in path: String) throws(ProtectionError) -> ProtectionError? {
        try withItem(path, followingLinks: false) { item, _ throws(ProtectionError) in
            guard case .folder(let folder) = item else { return nil }
            return folder.loss.map { .lostNames($0) }
        }
    }
}
