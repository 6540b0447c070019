import DataProtection
import Glibc
import ProtectedDatabase

/// Writes into databases until it is killed; before that it looks at what the last one left. Each
/// commit is written down in a file of the host when it has returned.
struct DatabaseWork {
    private let place: Place
    private let mode: ProtectedDatabaseConfiguration.JournalMode
    private let log: String
    private static let rowCount: Int64 = 6

    init(_ place: Place, mode: String, log: String) {
        self.place = place
        self.mode = ProtectedDatabaseConfiguration.JournalMode(rawValue: mode)!
        self.log = log
    }

    func run() throws {
        let (volume, _) = try place.open()
        var configuration = ProtectedDatabaseConfiguration(protectionClass: .complete)
        configuration.journalMode = mode
        let name = "\(mode.rawValue).db"
        let database = try ProtectedDatabase.open(name, in: volume, configuration: configuration)
        let uri = volume.databaseURI("second-" + name, class: .complete)
        try database.execute("ATTACH '\(uri)' AS second")
        _ = try database.query("PRAGMA second.journal_mode = \(mode.rawValue)")
        var round = try Self.round(database, "main")
        guard try Self.round(database, "second") == round || mode == .wal else {
            return Talk.say("the two databases are in different rounds")
        }
        for schema in ["main", "second"] {
            guard try database.query("PRAGMA \(schema).integrity_check") == [["ok"]] else {
                return Talk.say("\(schema) is damaged")
            }
        }
        // What is found is there to stay, also when nobody has heard of its commit.
        note(round)
        Talk.say("round \(round)")
        // A small cache, so that a transaction is written before it is committed.
        try database.execute("PRAGMA cache_size = 4")
        while true {
            round += 1
            try write(round, database)
            note(round)
            if round % 5 == 0 { _ = try database.query("PRAGMA wal_checkpoint(TRUNCATE)") }
            if round % 7 == 0 { try database.execute("VACUUM") }
        }
    }

    /// The round in which all rows of a database are; -1 for rows of several.
    private static func round(_ database: ProtectedDatabase, _ schema: String) throws -> Int64 {
        let tables = try database.query(
            "SELECT count(*) FROM \(schema).sqlite_schema WHERE type = 'table'")
        guard tables == [[1]] else { return 0 }
        let found = try database.query(
            "SELECT min(round), max(round), count(*), sum(length(filler) = 900 + round % 9 * 500) "
                + "FROM \(schema).t")
        guard case .integer(let least)? = found[0].first,
            found[0] == [
                .integer(least), .integer(least), .integer(rowCount), .integer(rowCount),
            ]
        else { return -1 }
        return least
    }

    /// One transaction over both databases; the tables begin with it, too.
    private func write(_ round: Int64, _ database: ProtectedDatabase) throws {
        try database.execute("BEGIN")
        for schema in ["main", "second"] {
            try database.execute(
                "CREATE TABLE IF NOT EXISTS \(schema).t (id INTEGER PRIMARY KEY, round, filler)")
            for id in 0..<Self.rowCount {
                try database.execute(
                    "INSERT OR REPLACE INTO \(schema).t VALUES (?, ?, randomblob(?))",
                    [.integer(id), .integer(round), .integer(900 + round % 9 * 500)])
            }
        }
        try database.execute("COMMIT")
    }

    private func note(_ round: Int64) {
        let descriptor = Glibc.open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let bytes = Array("\(round)\n".utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { exit(2) }
        close(descriptor)
    }
}
