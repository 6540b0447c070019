internal import CSQLite
internal import Synchronization

/// SQL that cannot be prepared, and where in the text.
package struct DatabaseScriptError: Error {
    /// What SQLite says.
    package let error: ProtectedDatabaseError
    /// The byte of the text at which it stumbles; `nil` when it does not say.
    package let byteOffset: Int?
}

/// The statements of a text, one after another.
@safe
package final class DatabaseScript {
    private let database: ProtectedDatabase
    private let text: [UInt8]
    private var offset = 0

    /// Begins at the start of a text, in which no byte is zero.
    package init(_ text: String, of database: ProtectedDatabase) {
        self.database = database
        self.text = Array(text.utf8)
    }

    /// The next statement.
    ///
    /// - Returns: `nil` at the end.
    package func next() throws -> ScriptStatement? {
        while offset < text.count {
            guard let pointer = unsafe database.handle else { return nil }
            var prepared: OpaquePointer?
            let start = offset
            var end = text.count
            let (code, finding) = unsafe database.connection.guarded(pointer) {
                unsafe text.withUnsafeBytes { bytes -> Int32 in
                    let base = unsafe bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
                    var tail: UnsafePointer<CChar>?
                    let code = unsafe sqlite3_prepare_v2(
                        pointer, base + start, Int32(clamping: bytes.count - start), &prepared,
                        &tail)
                    if let tail = unsafe tail { end = unsafe tail - base }
                    return code
                }
            }
            guard code == ResultCode.ok else {
                let place = unsafe Int(sqlite3_error_offset(pointer))
                throw DatabaseScriptError(
                    error: database.error(code, database.connection.message, ""),
                    byteOffset: place < 0 ? nil : start + place)
            }
            offset = max(end, start + 1)
            if let found = unsafe prepared {
                return unsafe ScriptStatement(database, found, finding)
            }
        }
        return nil
    }
}

/// A statement of a script.
@safe
package final class ScriptStatement {
    private let database: ProtectedDatabase
    private let pointer: OpaquePointer
    private let statement: SQLiteStatement

    init(
        _ database: ProtectedDatabase, _ pointer: OpaquePointer, _ finding: AttachGuard.Finding
    ) {
        self.database = database
        unsafe self.pointer = pointer
        statement = unsafe SQLiteStatement(pointer, finding)
    }

    /// Whether it leaves the database's file as it is.
    package var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(pointer) != 0 }

    /// The names of the columns of its rows; none when it has no rows.
    package var columnNames: [String] {
        (0..<(unsafe sqlite3_column_count(pointer))).map { index in
            guard let name = unsafe sqlite3_column_name(pointer, index) else { return "" }
            return unsafe String(cString: name)
        }
    }

    /// The names of its parameters, from the first on; `nil` for one without a name.
    package var parameterNames: [String?] {
        (0..<(unsafe sqlite3_bind_parameter_count(pointer))).map { index in
            guard let name = unsafe sqlite3_bind_parameter_name(pointer, index + 1) else {
                return nil
            }
            return unsafe String(cString: name)
        }
    }

    /// Sets a parameter.
    ///
    /// - Parameter index: from 1.
    package func bind(_ value: ProtectedDatabaseValue, at index: Int) throws(ProtectedDatabaseError)
    {
        let code = statement.bind(value, at: Int32(index))
        guard code == ResultCode.ok else { throw error(code) }
    }

    /// Goes on to the next row.
    ///
    /// - Returns: `nil` at the end.
    package func step() throws(ProtectedDatabaseError) -> [ProtectedDatabaseValue]? {
        let code = try database.step(statement, "")
        switch code {
        case ResultCode.row: return statement.row()
        case ResultCode.done: return nil
        default: throw error(code)
        }
    }

    /// Sets the first parameters to the present row of another statement, byte by byte.
    func bind(rowOf other: ScriptStatement) throws(ProtectedDatabaseError) {
        statement.reset()
        for column in 0..<(unsafe sqlite3_column_count(other.pointer)) {
            let value = unsafe sqlite3_column_value(other.pointer, column)
            let code = unsafe sqlite3_bind_value(pointer, column + 1, value)
            guard code == ResultCode.ok else { throw error(code) }
        }
    }

    /// Goes on to the next row without reading its values.
    ///
    /// - Returns: whether there is one.
    func advance() throws(ProtectedDatabaseError) -> Bool {
        let code = try database.step(statement, "")
        guard code == ResultCode.row || code == ResultCode.done else { throw error(code) }
        return code == ResultCode.row
    }

    /// The number in the first column of the present row.
    var firstNumber: Int64 { unsafe sqlite3_column_int64(pointer, 0) }

    private func error(_ code: Int32) -> ProtectedDatabaseError {
        database.error(database.connection.extendedCode(code), database.connection.message, "")
    }
}

extension ProtectedDatabase {
    private final class Question: Sendable {
        let isEnded: @Sendable () -> Bool

        init(_ isEnded: @escaping @Sendable () -> Bool) { self.isEnded = isEnded }
    }

    /// Ends each statement soon after a question is answered with yes; it then throws
    /// `interrupted`. The question lives as long as the program.
    package func endStatements(when isEnded: @escaping @Sendable () -> Bool) {
        guard let pointer = unsafe handle else { return }
        let question = unsafe Unmanaged.passRetained(Question(isEnded)).toOpaque()
        unsafe sqlite3_progress_handler(
            pointer, 20000,
            { context in
                let question = unsafe Unmanaged<Question>.fromOpaque(context!)
                return unsafe question.takeUnretainedValue().isEnded() ? 1 : 0
            }, question)
    }
}
