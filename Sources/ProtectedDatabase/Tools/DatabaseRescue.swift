/// Carries what can be read of a damaged database into another one.
package struct DatabaseRescue {
    /// What came of a table.
    package struct Table: Sendable {
        /// Its name.
        package let name: String
        /// How many of its rows were carried over.
        package let rowCount: Int64
        /// What kept others from it; `nil` when all were.
        package let damage: String?
    }

    /// The tables, in the order in which the database has them.
    package private(set) var tables: [Table] = []
    /// What else could not be made, each with the reason.
    package private(set) var lost: [String] = []

    private struct Item {
        let kind: String
        let name: String
        let sql: String

        var isVirtual: Bool { sql.prefix(14).uppercased() == "CREATE VIRTUAL" }
    }

    private let source: ProtectedDatabase
    private let target: ProtectedDatabase

    /// Carries everything over.
    ///
    /// Rows go one by one, in the order of their numbers and, from behind, against it; around what
    /// cannot be read. Of a table without row numbers it is what stands before the first damage and
    /// behind the last.
    /// - Parameters:
    ///   - source: the damaged database.
    ///   - target: an empty one.
    ///   - check: is called now and then; what it throws ends the work.
    /// - Throws: `ProtectedDatabaseError`: `damaged` when the list of tables itself cannot be read,
    ///   `locked`, `full`.
    package init(
        from source: ProtectedDatabase, into target: ProtectedDatabase,
        check: @escaping () throws -> Void
    ) throws {
        self.source = source
        self.target = target
        for setting in ["encoding", "page_size", "user_version", "application_id"] {
            guard let value = try source.query("PRAGMA \(setting)").first?.first else { continue }
            switch value {
            case .integer(let number): try target.execute("PRAGMA \(setting) = \(number)")
            case .text(let text): try target.execute("PRAGMA \(setting) = \(text.sqlQuoted)")
            default: break
            }
        }
        let items = try schema()
        try target.execute("BEGIN")
        let tables = items.filter { $0.kind == "table" }
        let plain = tables.filter { !$0.isVirtual && !$0.name.hasPrefix("sqlite_") }
        for table in plain where try make(table) {
            self.tables.append(try rows(of: table.name, check))
        }
        if tables.contains(where: { $0.name == "sqlite_sequence" }) {
            try target.execute("DELETE FROM sqlite_sequence")
            _ = try rows(of: "sqlite_sequence", check)
        }
        for item in items where item.kind != "table" { _ = try make(item) }
        try target.execute("PRAGMA writable_schema = ON")
        for table in tables where table.isVirtual {
            // What it holds is in plain tables of its own, which are there already.
            try target.execute(
                "INSERT INTO sqlite_schema VALUES ('table', ?1, ?1, 0, ?2)",
                [.text(table.name), .text(table.sql)])
        }
        try target.execute("PRAGMA writable_schema = RESET")
        try target.execute("COMMIT")
    }

    private func schema() throws(ProtectedDatabaseError) -> [Item] {
        let rows = try source.query(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        return rows.compactMap { row in
            guard case .text(let kind) = row[0], case .text(let name) = row[1],
                case .text(let sql) = row[2]
            else { return nil }
            return Item(kind: kind, name: name, sql: sql)
        }
    }

    /// Makes a table, index, view or trigger.
    ///
    /// - Returns: whether it was possible.
    private mutating func make(_ item: Item) throws(ProtectedDatabaseError) -> Bool {
        do throws(ProtectedDatabaseError) {
            try target.execute(item.sql)
            return true
        } catch {
            guard error.kind == .other || error.kind == .damaged else { throw error }
            lost.append("\(item.kind) \(item.name): \(error.reason)")
            return false
        }
    }

    private func rows(of name: String, _ check: @escaping () throws -> Void) throws -> Table {
        // 0 is a column with a value of its own; others are made from those.
        let found = try source.query("PRAGMA table_xinfo(\(name.sqlQuoted))").compactMap {
            row -> (name: String, key: Int64)? in
            guard case .text(let column) = row[1], case .integer(let key) = row[5],
                row[6] == .integer(0)
            else { return nil }
            return (column, key)
        }
        let columns = found.map(\.name)
        let taken = Set(columns.map { $0.lowercased() })
        let number = ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }
        let names = columns.map(\.sqlQuoted)
        if let number, (try? source.prepare("SELECT \(number) FROM \(name.sqlQuoted)")) != nil {
            var copy = try RowCopy(
                from: source, into: target, table: name.sqlQuoted, columns: [number] + names,
                check: check)
            try copy.runByNumber()
            return Table(name: name, rowCount: copy.count, damage: copy.damage)
        }
        var copy = try RowCopy(
            from: source, into: target, table: name.sqlQuoted, columns: names, check: check)
        let key = found.filter { $0.key > 0 }.sorted { $0.key < $1.key }
        try copy.runByKey(key.map(\.name.sqlQuoted))
        return Table(name: name, rowCount: copy.count, damage: copy.damage)
    }
}

extension String {
    /// A name as SQL has it.
    var sqlQuoted: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}
