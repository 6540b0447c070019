internal import CSQLite
internal import DataProtection
internal import Synchronization

/// A connection of SQLite with its own mutex: any thread can use it.
@safe
final class SQLiteConnection: Sendable {
    @safe
    private struct Place: @unchecked Sendable { var pointer: OpaquePointer? }

    private let place: Mutex<Place>
    private let attachGuard: AttachGuard

    private init(_ pointer: OpaquePointer, _ attachGuard: AttachGuard) {
        place = unsafe Mutex(Place(pointer: pointer))
        self.attachGuard = attachGuard
        unsafe attachGuard.install(on: pointer)
    }

    /// SQLite's own pointer; `nil` when it is closed.
    var pointer: OpaquePointer? { unsafe place.withLock { unsafe $0.pointer } }

    /// The connection as a lock of the volume sees it; `nil` when it is closed.
    var handle: ConnectionHandle? { unsafe pointer.map { unsafe ConnectionHandle($0) } }

    static func open(
        _ uri: String, writes: Bool, creates: Bool, _ vfs: DatabaseVFS
    ) throws(ProtectedDatabaseError) -> SQLiteConnection {
        var opened: OpaquePointer?
        let flags =
            (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
            | (creates ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX
            | SQLITE_OPEN_PRIVATECACHE
        let code = unsafe sqlite3_open_v2(uri, &opened, flags, vfs.name)
        guard let pointer = unsafe opened else {
            throw ProtectedDatabaseError(code: code, message: "out of memory")
        }
        guard code == ResultCode.ok else {
            let full = unsafe sqlite3_extended_errcode(pointer)
            let cause = vfs.lastFailure.flatMap { ProtectedDatabaseError.fits($0, full) ? $0 : nil }
            let message = unsafe String(cString: sqlite3_errmsg(pointer))
            _ = unsafe sqlite3_close(pointer)
            throw ProtectedDatabaseError(code: full, message: message, cause: cause)
        }
        _ = unsafe sqlite3_extended_result_codes(pointer, 1)
        return unsafe SQLiteConnection(pointer, AttachGuard(layer: vfs.name))
    }

    func close() throws(ProtectedDatabaseError) {
        try place.withLock { (place) throws(ProtectedDatabaseError) in
            guard let pointer = unsafe place.pointer else { return }
            let code = unsafe sqlite3_close(pointer)
            guard code == ResultCode.ok else {
                throw ProtectedDatabaseError(
                    code: code, message: unsafe String(cString: sqlite3_errmsg(pointer)))
            }
            unsafe place.pointer = nil
        }
    }

    /// Closes when the last statement is finished, which may be now.
    func closeLater() {
        place.withLock { place in
            // A statement that outlives this is prepared anew without the guard, which does not.
            if let pointer = unsafe place.pointer {
                _ = unsafe sqlite3_set_authorizer(pointer, nil, nil)
            }
            _ = unsafe sqlite3_close_v2(place.pointer)
            unsafe place.pointer = nil
        }
    }

    func prepare(
        _ sql: String, _ database: ProtectedDatabase
    ) throws(ProtectedDatabaseError) -> SQLiteStatement {
        guard let pointer = unsafe pointer else {
            throw ProtectedDatabaseError(
                code: ResultCode.misuse, message: "the connection is closed", statement: sql)
        }
        var prepared: OpaquePointer?
        let (code, finding) = unsafe guarded(pointer) {
            unsafe sqlite3_prepare_v2(pointer, sql, -1, &prepared, nil)
        }
        guard code == ResultCode.ok else { throw database.error(code, message, sql) }
        guard let statement = unsafe prepared else {
            throw ProtectedDatabaseError(
                code: ResultCode.error, message: "there is no statement", statement: sql)
        }
        return unsafe SQLiteStatement(statement, finding)
    }

    /// Prepares a statement, and tells what it has to do with attached databases. The connection's
    /// mutex is held, so that what is found is not another thread's.
    func guarded(_ pointer: OpaquePointer, _ prepare: () -> Int32) -> (Int32, AttachGuard.Finding) {
        unsafe sqlite3_mutex_enter(sqlite3_db_mutex(pointer))
        defer { unsafe sqlite3_mutex_leave(sqlite3_db_mutex(pointer)) }
        _ = attachGuard.takeFinding()
        return (prepare(), attachGuard.takeFinding())
    }

    /// The name of a database outside of the volume that was about to be attached.
    func takeRefusedName() -> String? { attachGuard.takeRefused() }

    /// Looks at a statement whose database's name came with its values.
    ///
    /// - Returns: whether it can be known, and belongs to the volume.
    func allowsAttaching(_ statement: SQLiteStatement) -> Bool {
        guard let pointer = unsafe pointer, let sql = statement.expandedSQL else { return false }
        var prepared: OpaquePointer?
        let (code, finding) = unsafe guarded(pointer) {
            unsafe sqlite3_prepare_v2(pointer, sql, -1, &prepared, nil)
        }
        _ = unsafe sqlite3_finalize(prepared)
        return code == ResultCode.ok && finding == .known
    }

    var isInTransaction: Bool {
        unsafe pointer.map { unsafe sqlite3_get_autocommit($0) == 0 } ?? false
    }

    func setBusyTimeout(_ timeout: Duration) {
        let milliseconds = max(0, min(Int64(Int32.max), Int64(timeout / .milliseconds(1))))
        if let pointer = unsafe pointer {
            _ = unsafe sqlite3_busy_timeout(pointer, Int32(milliseconds))
        }
    }

    func interrupt() {
        place.withLock { place in
            if let pointer = unsafe place.pointer { unsafe sqlite3_interrupt(pointer) }
        }
    }

    func releaseMemory() {
        if let pointer = unsafe pointer { _ = unsafe sqlite3_db_release_memory(pointer) }
    }

    /// What SQLite says of the last call.
    var message: String {
        unsafe pointer.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "closed"
    }

    /// A code with what SQLite knows beyond it.
    func extendedCode(_ code: Int32) -> Int32 {
        guard let pointer = unsafe pointer else { return code }
        let full = unsafe sqlite3_extended_errcode(pointer)
        return full & 0xFF == code & 0xFF ? full : code
    }
}
