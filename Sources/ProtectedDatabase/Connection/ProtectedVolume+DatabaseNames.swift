public import DataProtection

extension ProtectedVolume {
    /// The name under which SQLite opens databases of this volume, for programs that use SQLite
    /// directly or through another library:
    ///
    ///     sqlite3_open_v2("notes.db", &connection, flags, volume.databaseVFSName)
    ///
    /// Paths are the volume's. The name is registered with SQLite when it is first asked for, is
    /// the same every time, and goes when the volume is closed or let go and the last connection
    /// is closed. An open connection keeps the volume from being let go.
    public var databaseVFSName: String { DatabaseRegistry.vfs(of: self).name }

    /// A database's path as a URI, for libraries that take a path and no VFS.
    ///
    /// - Parameters:
    ///   - path: the database's path in the volume.
    ///   - protectionClass: its class; `nil` leaves it to the rules.
    /// - Returns: for instance `file:/notes.db?vfs=…&class=complete`. SQLite must be told to read
    ///   URIs (`SQLITE_OPEN_URI`); Debian's does without.
    public func databaseURI(
        _ path: String, class protectionClass: ProtectionClass? = nil
    ) -> String {
        let rooted = path.hasPrefix("/") ? path : "/" + path
        let suffix = protectionClass.map { "&class=\($0.name)" } ?? ""
        return "file:\(rooted.uriEscaped)?vfs=\(databaseVFSName)\(suffix)"
    }
}
