internal import CSQLite

/// What SQLite's own layer gives besides files.
enum SystemCalls {
    /// Sleeps.
    static func sleep(milliseconds: Int32) { _ = sqlite3_sleep(milliseconds) }
}

/// Whether a thread is inside a call of SQLite to a file layer: it may then not call SQLite.
enum CallDepth {
    /// Runs a call.
    @inline(never)
    static func within(_ body: () -> Int32) -> Int32 {
        _ = csqlite_call_depth(1)
        defer { _ = csqlite_call_depth(-1) }
        return body()
    }

    /// Whether the present thread is inside a call.
    static var isInCall: Bool {
        @inline(never) get { csqlite_call_depth(0) > 0 }
    }
}
