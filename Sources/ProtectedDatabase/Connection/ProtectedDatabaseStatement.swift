internal import DataProtection

/// A prepared statement of a connection. It is finished when it is let go.
///
/// One thread at a time; the connection stays open as long as its statements.
public final class ProtectedDatabaseStatement {
    private let database: ProtectedDatabase
    private let statement: SQLiteStatement
    private let sql: String

    init(_ database: ProtectedDatabase, _ statement: SQLiteStatement, sql: String) {
        self.database = database
        self.statement = statement
        self.sql = sql
    }

    /// Sets the statement's parameters, from the first on, and begins it anew.
    ///
    /// - Throws: `other` when there are fewer parameters than values.
    public func bind(_ values: [ProtectedDatabaseValue]) throws(ProtectedDatabaseError) {
        statement.reset()
        for (index, value) in values.enumerated() {
            let code = statement.bind(value, at: Int32(index + 1))
            guard code == ResultCode.ok else { throw error(code) }
        }
    }

    /// Goes on to the next row.
    ///
    /// - Returns: the row's values; `nil` at the end, after which the statement begins anew.
    /// - Throws: as `ProtectedDatabase.execute(_:_:)`; the statement then begins anew.
    public func step() throws(ProtectedDatabaseError) -> [ProtectedDatabaseValue]? {
        let code = try database.step(statement, sql)
        switch code {
        case ResultCode.row: return statement.row()
        case ResultCode.done:
            statement.reset()
            return nil
        default:
            let error = error(code)
            statement.reset()
            throw error
        }
    }

    private func error(_ code: Int32) -> ProtectedDatabaseError {
        database.error(
            database.connection.extendedCode(code), database.connection.message, sql)
    }
}
