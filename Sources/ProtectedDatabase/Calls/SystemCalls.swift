internal import CSQLite

/// What SQLite's own layer gives besides files.
enum SystemCalls {
    /// Sleeps.
    static func sleep(milliseconds: Int32) { _ = sqlite3_sleep(milliseconds) }
}
