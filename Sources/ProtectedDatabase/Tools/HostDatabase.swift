internal import CSQLite
internal import DataProtection

/// A plain database of the host that is only read, to be copied into a volume.
@safe
package final class HostDatabase {
    /// SQLite's connection, with this object's life.
    let pointer: OpaquePointer

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: where it is, without links and from the root on, because what lies beside it is
    ///     named after it.
    ///   - isQuiet: whether it is taken as a file that nobody changes: then no file beside it is
    ///     looked for or made. Else it is locked as any reader does.
    /// - Throws: `damaged` when it is no database, which an encrypted one is not either; `busy`;
    ///   `other`.
    package init(_ path: String, isQuiet: Bool) throws(ProtectedDatabaseError) {
        var opened: OpaquePointer?
        let uri = "file:\(path.uriEscaped)?mode=ro" + (isQuiet ? "&immutable=1" : "")
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX
        let code = unsafe sqlite3_open_v2(uri, &opened, flags | SQLITE_OPEN_PRIVATECACHE, "unix")
        guard let pointer = unsafe opened else {
            throw ProtectedDatabaseError(code: code, message: "out of memory")
        }
        unsafe self.pointer = pointer
        guard code == ResultCode.ok else { throw error }
        _ = unsafe sqlite3_extended_result_codes(pointer, 1)
        _ = unsafe sqlite3_busy_timeout(pointer, 5000)
        // A reader leaves the log as it is, also when it is the last one.
        _ = unsafe csqlite_keep_log(pointer)
        // One state of it is copied, whatever others do meanwhile; nothing goes to the host's
        // temporary folder.
        try run("PRAGMA temp_store = MEMORY; BEGIN; SELECT count(*) FROM sqlite_schema")
    }

    deinit { _ = unsafe sqlite3_close_v2(pointer) }

    private func run(_ sql: String) throws(ProtectedDatabaseError) {
        guard unsafe sqlite3_exec(pointer, sql, nil, nil, nil) == ResultCode.ok else { throw error }
    }

    private var error: ProtectedDatabaseError {
        unsafe ProtectedDatabaseError(
            code: sqlite3_extended_errcode(pointer),
            message: String(cString: sqlite3_errmsg(pointer)))
    }
}

extension String {
    /// A path as a URI has it.
    var uriEscaped: String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
        return utf8.map { byte -> String in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}

extension ProtectedDatabaseError {
    /// Whether the file was never a database, as far as SQLite can tell: an encrypted one neither.
    package var isAboutNoDatabase: Bool { code & 0xFF == ResultCode.notADatabase && cause == nil }

    /// Whether what stands in the way is a transaction that a program has left unfinished: only a
    /// writer can roll it back.
    package var isAboutUnfinishedTransaction: Bool {
        [ResultCode.readOnlyRollback, ResultCode.readOnlyRecovery].contains(code)
    }

    /// What is damaged, in the volume's words when it has some.
    var reason: String { cause?.message ?? message }
}
