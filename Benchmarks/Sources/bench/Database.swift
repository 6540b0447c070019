import CBenchSQLite
import DataProtection
import Glibc
import ProtectedDatabase

/// SQLite on a volume against SQLite on the same folder, by the same C calls.
enum Database {
    static let rowCount = 50_000
    static let commitCount = 1_000

    /// One kind of work; each has a database that is prepared before the clock runs.
    struct Work {
        let name: String
        let count: Int
        var mode = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"
        var isFilled = true
        let run: (Connection) -> Void
    }

    static var works: [Work] {
        [
            Work(name: "bulk insert, one transaction", count: rowCount, isFilled: false) {
                $0.fill()
            },
            Work(name: "single commits, WAL NORMAL", count: commitCount) {
                $0.commits(commitCount)
            },
            Work(
                name: "single commits, WAL FULL", count: commitCount,
                mode: "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"
            ) { $0.commits(commitCount) },
            Work(
                name: "single commits, DELETE FULL", count: commitCount / 5,
                mode: "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL"
            ) { $0.commits(commitCount / 5) },
            Work(name: "point reads", count: 100_000) { connection in
                connection.each("SELECT length(text) FROM t WHERE id = ?", 100_000) { index in
                    (index * 2_654_435_761) % rowCount
                }
            },
            Work(name: "range scan", count: rowCount) {
                $0.run("SELECT sum(length(text)), sum(number) FROM t")
            },
            Work(name: "updates, one transaction", count: 20_000) { connection in
                connection.run("BEGIN")
                connection.each("UPDATE t SET number = number + 1 WHERE id = ?", 20_000) { index in
                    (index * 2_654_435_761) % rowCount
                }
                connection.run("COMMIT")
            },
            Work(name: "checkpoint of 20,000 updates", count: 1) {
                $0.run("PRAGMA wal_checkpoint(TRUNCATE)")
            },
        ]
    }

    static func run(folder: String, rounds: Int) throws {
        let sides = try Sides(folder)
        print("| work | volume / plain | plain µs each | volume µs each |")
        print("|---|---|---|---|")
        for work in works {
            var times: [[Double]] = [[], []]
            for round in 0...rounds {
                for side in 0...1 {
                    let time = sides.time(work, isPlain: side == 0)
                    if round > 0 { times[side].append(time) }
                }
            }
            let ratio = median(zip(times[1], times[0]).map { $0 / $1 })
            let each = times.map { (median($0) / Double(work.count) * 1e6).rounded(to: 2) }
            print("| \(work.name) | \(ratio.rounded(to: 2)) | \(each[0]) | \(each[1]) |")
        }
        try sides.open(rounds)
        try sides.close()
    }

    /// Repeats one kind of work, for a profiler.
    static func profile(folder: String, what: String, isPlain: Bool) throws {
        let sides = try Sides(folder)
        for work in works where work.name.hasPrefix(what) {
            let times = (0..<10).map { _ in sides.time(work, isPlain: isPlain) }
            print(work.name, (median(times) / Double(work.count) * 1e6).rounded(to: 2))
        }
        try sides.close()
    }
}

/// A volume and a plain folder side by side.
private struct Sides {
    let volume: ProtectedVolume
    let plain: String

    init(_ folder: String) throws {
        volume = try ProtectedVolume.create(
            at: folder + "/volume", passcode: nil, deviceKey: DeviceKey.inMemory())
        plain = folder + "/plain"
        mkdir(plain, 0o700)
    }

    func connect(isPlain: Bool) -> Connection {
        isPlain
            ? Connection(plain + "/bench.db", vfs: nil)
            : Connection("bench.db", vfs: volume.databaseVFSName)
    }

    /// Removes the database and what lies beside it.
    func clear() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            unlink(plain + "/bench.db" + suffix)
            try? volume.removeFile("bench.db" + suffix)
        }
    }

    func prepared(_ work: Database.Work, isPlain: Bool) -> Connection {
        clear()
        let connection = connect(isPlain: isPlain)
        connection.run(work.mode)
        connection.run("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT)")
        if work.isFilled {
            connection.fill()
            connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        if work.name.hasPrefix("checkpoint") {
            connection.run("PRAGMA wal_autocheckpoint=0; BEGIN")
            connection.each("UPDATE t SET number = number + 1 WHERE id = ?", 20_000) { index in
                (index * 2_654_435_761) % Database.rowCount
            }
            connection.run("COMMIT")
        }
        return connection
    }

    func time(_ work: Database.Work, isPlain: Bool) -> Double {
        let connection = prepared(work, isPlain: isPlain)
        defer { connection.close() }
        return seconds { work.run(connection) }
    }

    /// A new connection and its first row.
    func open(_ rounds: Int) throws {
        var times: [[Double]] = [[], []]
        let count = 200
        let work = Database.works[1]
        for side in 0...1 {
            prepared(work, isPlain: side == 0).close()
            for _ in 0..<rounds {
                times[side].append(
                    seconds {
                        for _ in 0..<count {
                            let connection = connect(isPlain: side == 0)
                            connection.run("SELECT text FROM t WHERE id = 25000")
                            connection.close()
                        }
                    })
            }
        }
        let ratio = median(times[1]) / median(times[0])
        let each = times.map { (median($0) / Double(count) * 1e6).rounded(to: 2) }
        print("| open, first read, close | \(ratio.rounded(to: 2)) | \(each[0]) | \(each[1]) |")
    }

    func close() throws {
        clear()
        rmdir(plain)
        try volume.close()
    }
}

/// A connection of SQLite by its C interface.
final class Connection {
    private var pointer: OpaquePointer?

    init(_ path: String, vfs: String?) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        check(sqlite3_open_v2(path, &pointer, flags, vfs), path)
    }

    /// Runs statements.
    func run(_ sql: String) { check(sqlite3_exec(pointer, sql, nil, nil, nil), sql) }

    /// Runs one statement so many times, with a number for each.
    func each(_ sql: String, _ count: Int, _ number: (Int) -> Int) {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(pointer, sql, -1, &statement, nil), sql)
        for index in 0..<count {
            sqlite3_bind_int64(statement, 1, Int64(number(index)))
            while sqlite3_step(statement) == SQLITE_ROW {}
            check(sqlite3_reset(statement), sql)
        }
        sqlite3_finalize(statement)
    }

    /// Fills the table: rows of about 100 bytes.
    func fill() {
        run("BEGIN")
        each(
            "INSERT INTO t VALUES (?1, ?1 * 7, substr(hex(?1) || printf('%0100d', ?1), 1, 100))",
            Database.rowCount
        ) { $0 }
        run("COMMIT")
    }

    /// Transactions of one row each.
    func commits(_ count: Int) {
        each("INSERT INTO t VALUES (?1, ?1, printf('%0100d', ?1))", count) {
            Database.rowCount + $0
        }
    }

    func close() { check(sqlite3_close(pointer), "close") }

    private func check(_ code: Int32, _ what: String) {
        if code != SQLITE_OK {
            fatalError("\(what): \(code) \(String(cString: sqlite3_errmsg(pointer)))")
        }
    }
}
