import CSQLite
import DataProtection
import ProtectedDatabase
import Testing

/// Who waits for whom: SQLite's locks, between connections of one process.
@Suite struct `Locks between connections` {
    typealias Mode = ProtectedDatabaseConfiguration.JournalMode
    private static let busy = DatabaseOutcome.failed(.busy)
    private static let rollbackModes: [Mode] = [.delete, .truncate, .persist]

    /// Three connections to one database, which do not wait for each other.
    private static func three(_ mode: Mode) throws -> (DatabaseRig, [ProtectedDatabase]) {
        let rig = try DatabaseRig()
        var configuration = ProtectedDatabaseConfiguration()
        configuration.busyTimeout = .zero
        configuration.journalMode = mode
        let connections = try (0..<3).map { _ in
            try ProtectedDatabase.open("db", in: rig.volume, configuration: configuration)
        }
        try connections[0].execute("CREATE TABLE t (a)")
        try connections[0].execute("INSERT INTO t VALUES (1)")
        for connection in connections { #expect(try connection.text("SELECT a FROM t") == "1") }
        return (rig, connections)
    }

    private static func isBusy(_ connection: ProtectedDatabase, _ sql: String) -> Bool {
        DatabaseOutcome { _ = try connection.query(sql) } == busy
    }

    @Test(arguments: rollbackModes)
    func `a writer that waits for readers keeps new ones out`(_ mode: Mode) throws {
        let (rig, connections) = try Self.three(mode)
        let (writer, reader, late) = (connections[0], connections[1], connections[2])
        try reader.execute("BEGIN")
        #expect(try reader.text("SELECT a FROM t") == "1")
        try writer.execute("BEGIN")
        try writer.execute("UPDATE t SET a = 2")
        // Beside a writer that has not come to its end others read, and nobody else writes.
        #expect(try late.text("SELECT a FROM t") == "1")
        #expect(Self.isBusy(late, "INSERT INTO t VALUES (3)"))
        #expect(Self.isBusy(late, "BEGIN IMMEDIATE"))
        #expect(Self.isBusy(writer, "COMMIT"))
        #expect(Self.isBusy(late, "SELECT a FROM t"))
        #expect(try reader.text("SELECT a FROM t") == "1")
        try reader.execute("COMMIT")
        try writer.execute("COMMIT")
        #expect(try late.text("SELECT a FROM t") == "2")
        #expect(try rig.database(class: nil).integrity == "ok")
    }

    @Test(arguments: rollbackModes)
    func `a journal that a writer is at is not taken for one that a crash left`(_ mode: Mode)
        throws
    {
        let (_, connections) = try Self.three(mode)
        let (writer, reader) = (connections[0], connections[1])
        // Then the journal has its head from the start, and not when it is made durable.
        try writer.execute("PRAGMA synchronous = OFF")
        try writer.execute("BEGIN")
        for _ in 0..<50 { try writer.execute("INSERT INTO t VALUES (zeroblob(3000))") }
        try writer.execute("UPDATE t SET a = 2")
        #expect(try reader.text("SELECT count(*) FROM t") == "1")
        try writer.execute("COMMIT")
        #expect(try reader.text("SELECT count(*) FROM t WHERE a = 2") == "51")
    }

    @Test(arguments: rollbackModes)
    func `a writer is alone while it writes the database`(_ mode: Mode) throws {
        let (_, connections) = try Self.three(mode)
        try connections[0].execute("BEGIN EXCLUSIVE")
        for other in connections.dropFirst() {
            #expect(Self.isBusy(other, "SELECT a FROM t"))
            #expect(Self.isBusy(other, "BEGIN IMMEDIATE"))
        }
        // Who closes gives everything back.
        try connections[0].close()
        try connections[1].execute("BEGIN EXCLUSIVE")
        try connections[1].execute("COMMIT")
        #expect(try connections[2].text("SELECT a FROM t") == "1")
    }

    @Test func `with a log one writes, the others read, and a checkpoint waits`() throws {
        let (_, connections) = try Self.three(.wal)
        let (writer, reader, late) = (connections[0], connections[1], connections[2])
        try reader.execute("BEGIN")
        #expect(try reader.text("SELECT count(*) FROM t") == "1")
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(Self.isBusy(late, "INSERT INTO t VALUES (3)"))
        #expect(try late.text("SELECT count(*) FROM t") == "1")
        try writer.execute("COMMIT")
        #expect(try late.text("SELECT count(*) FROM t") == "2")
        #expect(try reader.text("SELECT count(*) FROM t") == "1")
        #expect(try late.text("PRAGMA wal_checkpoint(TRUNCATE)") == "1")
        // A reader of an old state cannot write, and is not made to wait for it.
        #expect(Self.isBusy(reader, "INSERT INTO t VALUES (4)"))
        try reader.execute("COMMIT")
        #expect(try late.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
        #expect(Self.isBusy(writer, "PRAGMA journal_mode = DELETE"))
        try reader.close()
        try late.close()
        #expect(try writer.text("PRAGMA journal_mode = DELETE") == "delete")
    }
}
