internal import CSQLite

/// A prepared statement of SQLite.
@safe
final class SQLiteStatement {
    private let pointer: OpaquePointer
    /// What it has to do with databases beside the main one.
    let finding: AttachGuard.Finding

    init(_ pointer: OpaquePointer, _ finding: AttachGuard.Finding) {
        unsafe self.pointer = pointer
        self.finding = finding
    }

    /// The statement with its values in place of its parameters.
    var expandedSQL: String? {
        guard let text = unsafe sqlite3_expanded_sql(pointer) else { return nil }
        defer { unsafe sqlite3_free(text) }
        return unsafe String(cString: text)
    }

    deinit { _ = unsafe sqlite3_finalize(pointer) }

    func reset() { _ = unsafe sqlite3_reset(pointer) }

    func step() -> Int32 { unsafe sqlite3_step(pointer) }

    func bind(_ value: ProtectedDatabaseValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(pointer, index)
        case .integer(let number): return unsafe sqlite3_bind_int64(pointer, index, number)
        case .real(let number): return unsafe sqlite3_bind_double(pointer, index, number)
        case .text(let text):
            return unsafe sqlite3_bind_text(
                pointer, index, text, Int32(text.utf8.count), csqlite_transient())
        case .blob(let bytes):
            // A pointer to nothing would bind NULL.
            guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(pointer, index, 0) }
            return unsafe sqlite3_bind_blob64(
                pointer, index, bytes, UInt64(bytes.count), csqlite_transient())
        }
    }

    /// The values of the present row.
    func row() -> [ProtectedDatabaseValue] {
        (0..<(unsafe sqlite3_column_count(pointer))).map { value(at: $0) }
    }

    private func value(at column: Int32) -> ProtectedDatabaseValue {
        switch unsafe sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(pointer, column))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(pointer, column))
        case SQLITE_TEXT:
            guard let text = unsafe sqlite3_column_text(pointer, column) else { return .null }
            let count = unsafe Int(sqlite3_column_bytes(pointer, column))
            let bytes = unsafe UnsafeBufferPointer(start: text, count: count)
            return unsafe .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let count = unsafe Int(sqlite3_column_bytes(pointer, column))
            guard count > 0, let blob = unsafe sqlite3_column_blob(pointer, column) else {
                return .blob([])
            }
            return unsafe .blob([UInt8](UnsafeRawBufferPointer(start: blob, count: count)))
        default: return .null
        }
    }
}
