/// Paths of a database and of what lies beside it.
enum VolumeNames {
    /// What SQLite puts behind a database's name.
    static let sideSuffixes = ["-journal", "-wal"]

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }

    /// The database to which a super-journal belongs: its name ends in `-mj` and nine digits. As
    /// one SQLite also opens the journals that are named in it, to see whether it is still needed.
    static func database(ofSuperJournal path: String) -> String? {
        if path.hasSuffix("-journal") { return String(path.dropLast(8)) }
        let end = path.suffix(12)
        guard end.hasPrefix("-mj"), end.count == 12 else { return nil }
        return String(path.dropLast(12))
    }
}
