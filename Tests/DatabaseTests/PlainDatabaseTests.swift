import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import TestSupport
import Testing

/// The same done to a database in a volume and to a plain one.
@Suite struct `A database beside a plain one` {
    /// A statement, the same for both.
    private static func statement(_ generator: inout SeededGenerator) -> String {
        let (key, value) = (
            Int.random(in: 0..<200, using: &generator),
            Int.random(in: 0..<10_000, using: &generator)
        )
        let text = String(repeating: "\(value)-", count: value % 400)
        switch Int.random(in: 0..<22, using: &generator) {
        case 0..<7: return "INSERT OR REPLACE INTO t VALUES (\(key), '\(text)')"
        case 7..<9: return "INSERT INTO t VALUES (\(key), 'unique')"
        case 9..<11: return "UPDATE t SET v = v || '\(value)' WHERE k % 7 = \(key % 7)"
        case 11..<13: return "DELETE FROM t WHERE k BETWEEN \(key) AND \(key + 9)"
        case 13: return "BEGIN"
        case 14: return "COMMIT"
        case 15: return "ROLLBACK"
        case 16: return "SAVEPOINT s\(key % 3)"
        case 17: return "ROLLBACK TO s\(key % 3)"
        case 18: return "RELEASE s\(key % 3)"
        case 19: return "CREATE INDEX IF NOT EXISTS i\(key % 2) ON t (length(v))"
        case 20: return "DROP INDEX IF EXISTS i\(key % 2)"
        default: return ["VACUUM", "REINDEX", "PRAGMA incremental_vacuum", "ANALYZE"][key % 4]
        }
    }

    private static let digest =
        "SELECT count(*) || ' ' || total(k) || ' ' || total(length(v)) || ' ' || "
        + "group_concat(k || substr(v, 1, 9)) FROM (SELECT * FROM t ORDER BY k)"

    @Test(arguments: ProtectedDatabaseConfiguration.JournalMode.allCases, [512, 4096, 65536])
    func `answers the same`(_ mode: ProtectedDatabaseConfiguration.JournalMode, _ pageSize: Int)
        throws
    {
        let rig = try DatabaseRig()
        let folder = try ScratchFolder()
        let pair = [
            PlainConnection(rig.volume.databaseURI("db", class: .complete), vfs: nil),
            PlainConnection(folder.path(of: "db"), vfs: nil),
        ]
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for connection in pair {
            for sql in [
                "PRAGMA page_size = \(pageSize)", "PRAGMA auto_vacuum = 2",
                "PRAGMA journal_mode = \(mode.rawValue)", "PRAGMA cache_size = 8",
                "PRAGMA synchronous = OFF", "CREATE TABLE t (k INTEGER PRIMARY KEY, v)",
            ] {
                #expect(connection.run(sql) == SQLITE_OK, "\(sql)")
            }
        }
        for step in 0..<250 {
            let sql = Self.statement(&generator)
            let codes = pair.map { $0.run(sql) }
            #expect(codes[0] == codes[1], "seed \(seed), step \(step): \(sql.prefix(60))")
            guard step % 10 == 9 else { continue }
            let digests = pair.map { $0.value(Self.digest) }
            #expect(digests[0] != nil && digests[0] == digests[1], "seed \(seed), step \(step)")
        }
        #expect(pair[0].value("PRAGMA page_size") == "\(pageSize)")
        for connection in pair {
            _ = connection.run("ROLLBACK")
            #expect(connection.value("PRAGMA integrity_check") == "ok", "seed \(seed)")
        }
    }
}
