internal import Synchronization

/// Which databases of a connection have had `synchronous = EXTRA` set.
struct DurableSchemas: Sendable {
    var names: Set<String> = ["main", "temp"]
    /// Whether one may have come or gone since.
    var isStale = false
}

/// Databases beside the main one.
extension ProtectedDatabase {
    /// One step of a statement, with what belongs to an `ATTACH`: a name that leads out of the
    /// volume is refused, and what was attached is made as durable as the main database.
    func step(_ statement: SQLiteStatement, _ sql: String) throws(ProtectedDatabaseError) -> Int32 {
        if statement.finding == .hidden, !connection.allowsAttaching(statement) {
            let refused = connection.takeRefusedName().map(Self.refusal)
            throw ProtectedDatabaseError(
                code: ResultCode.authorization,
                message: refused ?? "the name of what is attached is neither text nor a parameter",
                statement: sql)
        }
        let code = statement.step()
        guard code == ResultCode.done else { return code }
        if statement.finding != .none { durable.withLock { $0.isStale = true } }
        makeDurable()
        return code
    }

    /// What is said of a database that is none of the volume's.
    static func refusal(_ name: String) -> String {
        "'\(name)' is not in the volume and is not attached"
    }

    /// SQLite gives each database that is attached its own default. Within a transaction that
    /// cannot be changed: it is done after that.
    private func makeDurable() {
        let known = durable.withLock { durable -> Set<String>? in
            guard durable.isStale, !isInTransaction else { return nil }
            durable.isStale = false
            return durable.names
        }
        guard let known else { return }
        do throws(ProtectedDatabaseError) {
            let schemas = Set(
                try query("PRAGMA database_list").compactMap { row -> String? in
                    if case .text(let name) = row[1] { name } else { nil }
                })
            for name in schemas.subtracting(known) {
                _ = try query("PRAGMA \(name.sqlQuoted).synchronous = EXTRA")
            }
            durable.withLock { $0.names = schemas.union(["main", "temp"]) }
        } catch {
            durable.withLock { $0.isStale = true }
        }
    }
}
