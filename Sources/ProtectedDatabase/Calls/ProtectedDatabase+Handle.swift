extension ProtectedDatabase {
    /// SQLite's own connection (`sqlite3 *`), for its C functions; `nil` when it is closed. It is
    /// this object's to close.
    @unsafe public var handle: OpaquePointer? { unsafe connection.pointer }
}
