internal import CSQLite

/// A connection of SQLite, as far as a lock of the volume has to do with it.
@safe
struct ConnectionHandle: Hashable, @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Compares two connections.
    static func == (left: ConnectionHandle, right: ConnectionHandle) -> Bool {
        unsafe left.pointer == right.pointer
    }

    func hash(into hasher: inout Hasher) { unsafe hasher.combine(UInt(bitPattern: pointer)) }

    /// Whether the connection has a mutex, without which no other thread can have it for itself.
    var hasMutex: Bool { unsafe sqlite3_db_mutex(pointer) != nil }

    /// Has the connection for this thread, if nobody else has.
    func tryEnter() -> Bool {
        unsafe sqlite3_mutex_try(sqlite3_db_mutex(pointer)) == ResultCode.ok
    }

    /// Gives the connection back.
    func leave() { unsafe sqlite3_mutex_leave(sqlite3_db_mutex(pointer)) }

    /// Ends the statements that are running, and those that are begun before they have ended.
    func interrupt() { unsafe sqlite3_interrupt(pointer) }

    /// Whether some statement has begun and not ended.
    var isBusy: Bool {
        var statement = unsafe sqlite3_next_stmt(pointer, nil)
        while let next = unsafe statement {
            if unsafe sqlite3_stmt_busy(next) != 0 { return true }
            unsafe statement = sqlite3_next_stmt(pointer, next)
        }
        return false
    }

    /// Whether a transaction that writes is open between two statements.
    var isWriting: Bool {
        unsafe sqlite3_get_autocommit(pointer) == 0
            && sqlite3_txn_state(pointer, nil) == SQLITE_TXN_WRITE
    }

    /// Rolls the open transaction back.
    func rollBack() { _ = unsafe sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil) }

    /// Frees every page in the connection's cache that no statement is using.
    func dropCache() { _ = unsafe sqlite3_db_release_memory(pointer) }
}
