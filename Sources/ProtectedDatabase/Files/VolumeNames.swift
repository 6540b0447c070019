/// Paths of a database and of what lies beside it.
enum VolumeNames {
    /// What SQLite puts behind a database's name.
    static let sideSuffixes = ["-journal", "-wal"]

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }

    /// The database to which a super-journal belongs: its name ends in `-mj` and nine digits.
    static func database(ofSuperJournal path: String) -> String? {
        let end = path.suffix(12)
        guard end.hasPrefix("-mj"), end.count == 12 else { return nil }
        return String(path.dropLast(12))
    }
}
