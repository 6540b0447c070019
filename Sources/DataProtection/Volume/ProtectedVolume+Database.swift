internal import Synchronization

/// What a database needs of a volume, beyond what every caller has.
extension ProtectedVolume {
    /// The one path of a file or of a name that is free: without symbolic links, `.` and `..`.
    /// Two names for one database would give it two journals.
    ///
    /// - Returns: the path with a leading slash, and whether a link was on the way.
    /// - Throws: `missing`, `notFolder`, `symbolicLink`, `invalidName`; `sealed` when names are
    ///   private.
    package func canonicalPath(
        of path: String
    ) throws(ProtectionError) -> (path: String, followsLink: Bool) {
        try place(path) { () throws(ProtectionError) in
            var plain: [[UInt8]] = []
            var names: [[UInt8]] = []
            for part in path.utf8.split(separator: UInt8(ascii: "/")).map({ Array($0) }) {
                names.append(part)
                if part == [UInt8(ascii: ".")] { continue }
                if part == Array("..".utf8) {
                    _ = plain.popLast()
                } else {
                    plain += try VolumePath(String(decoding: part, as: UTF8.self)).names
                }
            }
            let asked = VolumePath(names: names)
            let found = try withNames { names, metadata throws(ProtectionError) in
                try names.resolve(asked, followsLast: true, core, metadata)
            }
            let text = found.names.map { String(decoding: $0, as: UTF8.self) }
            return ("/" + text.joined(separator: "/"), found.names != plain)
        }
    }

    /// Opens a file without a name, to be read and written; it is gone with its last handle. What
    /// a crash leaves of it is removed when the volume is next opened.
    ///
    /// - Throws: `sealed` when a file of the class cannot be made now; `noSpace`.
    package func openNamelessFile(
        class protectionClass: ProtectionClass
    ) throws(ProtectionError) -> ProtectedFile {
        let path = try temporaryPath()
        let file = try openFile(
            path, [.readWrite, .create, .exclusive], class: protectionClass)
        try removeFile(path)
        return file
    }

    /// A path in the folder of temporary items that nobody else has; no file is made.
    package func freeTemporaryPath() throws(ProtectionError) -> String { try temporaryPath() }

    /// Whether the host writes a page of 4096 bytes as a whole or not at all when the power fails.
    package var hostWritesWholePages: Bool {
        guard let host = try? core.store.capabilities() else { return false }
        return host.blockByteCount % PageLayout.pageByteCount == 0
    }
}

extension ProtectedFile {
    /// The number of its inode: the same for all names of one file.
    package var identity: UInt64 { inode.identity.inode }

    /// Has the file remember, as plaintext, the two pages that were used last, until its key goes.
    /// For a reader that keeps pages himself, as SQLite does.
    package func rememberPages() { inode.rememberPages() }

    /// Begins a use of the file's content that does not reach the file.
    ///
    /// - Throws: `sealed`, `closed`.
    package func beginUse(_ operation: String = #function) throws(ProtectionError) {
        inode.core.seam.begin(operation)
        try requireUsable()
    }

    /// Refuses when the file's content cannot be used in this lock state.
    ///
    /// - Throws: `sealed`, `closed`.
    package func requireUsable() throws(ProtectionError) {
        try inode.core.requireHandle(of: inode.protectionClass)
    }
}
