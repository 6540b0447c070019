internal import CSQLite
package import DataProtection

/// Whole copies, page by page, through SQLite's backup interface.
extension ProtectedDatabase {
    /// How many pages are copied at once.
    private static let stepPageCount: Int32 = 256

    /// Takes over what a database of the host holds.
    ///
    /// - Parameters:
    ///   - source: the database; its state is that of the moment it was opened.
    ///   - progress: is told how many pages are copied, of how many; what it throws ends the copy.
    /// - Throws: also a `ProtectedDatabaseError`: `damaged`, `full`, `locked`. This database is as
    ///   it was then.
    package func takeOver(
        _ source: HostDatabase, progress: (_ done: Int64, _ total: Int64) throws -> Void
    ) throws {
        try unsafe copy(from: source.pointer, progress)
    }

    /// Takes over what another database of a volume holds.
    package func takeOver(
        _ source: ProtectedDatabase, progress: (_ done: Int64, _ total: Int64) throws -> Void
    ) throws {
        guard let pointer = unsafe source.handle else { return }
        _ = try source.query("PRAGMA schema_version")  // puts a log or a journal in order first
        try unsafe copy(from: pointer, progress)
    }

    private func copy(
        from source: OpaquePointer, _ progress: (_ done: Int64, _ total: Int64) throws -> Void
    ) throws {
        guard let pointer = unsafe handle else { return }
        guard let backup = unsafe sqlite3_backup_init(pointer, "main", source, "main") else {
            throw error(connection.extendedCode(ResultCode.error), connection.message, "")
        }
        var code = ResultCode.ok
        var stop: (any Error)?
        while code == ResultCode.ok {
            code = unsafe sqlite3_backup_step(backup, Self.stepPageCount)
            let total = unsafe Int64(sqlite3_backup_pagecount(backup))
            let rest = unsafe Int64(sqlite3_backup_remaining(backup))
            do {
                try progress(total - rest, total)
            } catch {
                stop = error
                break
            }
        }
        let end = unsafe sqlite3_backup_finish(backup)
        if let stop { throw stop }
        guard code == ResultCode.done, end == ResultCode.ok else {
            let failed = end == ResultCode.ok ? code : end
            let message = unsafe String(cString: sqlite3_errstr(failed & 0xFF))
            throw error(connection.extendedCode(failed), message, "")
        }
    }

    /// What SQLite finds wrong with the database, which is read from its file again.
    ///
    /// - Returns: a sentence for each thing; none when it is whole.
    package func faults() throws(ProtectedDatabaseError) -> [String] {
        releaseMemory()
        let rows: [[ProtectedDatabaseValue]]
        do throws(ProtectedDatabaseError) {
            rows = try query("PRAGMA integrity_check")
        } catch {
            // So broken that the check itself stumbles. What the volume refuses is another matter.
            guard error.kind == .damaged, error.cause == nil, !error.isAboutNoDatabase else {
                throw error
            }
            return [error.message]
        }
        let said = rows.compactMap { row -> String? in
            if case .text(let text)? = row.first { text } else { nil }
        }
        return said == ["ok"] ? [] : said
    }

    /// Reads the database's file in chunks, also while it could not be opened anew.
    package func readFile(_ body: (Span<UInt8>) throws -> Void) throws {
        guard let file = mainFile?.file else { return }
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            var span = chunk.mutableSpan
            let count = try file.read(into: &span, at: offset)
            guard count > 0 else { return }
            try body(chunk.span.extracting(first: count))
            offset += Int64(count)
        }
    }
}

extension ProtectedVolume {
    /// Makes a database for the time of some work, among the volume's temporary items.
    ///
    /// - Parameter protectionClass: its class.
    package func withTemporaryDatabase(
        class protectionClass: ProtectionClass, _ body: (ProtectedDatabase) throws -> Void
    ) throws {
        let path = try freeTemporaryPath()
        defer {
            for suffix in [""] + VolumeNames.sideSuffixes { try? removeFile(path + suffix) }
        }
        let database = try ProtectedDatabase.open(path, in: self, class: protectionClass)
        defer { try? database.close() }
        // It is lost with a crash anyway.
        try database.execute("PRAGMA synchronous = OFF")
        try database.execute("PRAGMA journal_mode = MEMORY")
        try body(database)
    }

    /// Leaves nothing beside a database, or beside its name, that would be taken for a part of
    /// the file that is about to get that name.
    ///
    /// - Throws: `sealed` when something is there that cannot be put in order now.
    package func settleDatabase(_ path: String) throws {
        let beside = try VolumeNames.sideSuffixes.map { path + $0 }.filter { name in
            do throws(ProtectionError) {
                _ = try attributes(of: name)
                return true
            } catch {
                guard error.code == .missing else { throw error }
                return false
            }
        }
        guard !beside.isEmpty else { return }
        do throws(ProtectedDatabaseError) {
            var configuration = ProtectedDatabaseConfiguration()
            configuration.makesMissing = false
            let database = try ProtectedDatabase.open(
                path, in: self, configuration: configuration)
            _ = try database.query("PRAGMA journal_mode = DELETE")
            try database.close()
        } catch {
            // What is damaged or gone is replaced all the same.
            if error.isLocked || error.kind == .full { throw error }
        }
        for name in beside {
            do throws(ProtectionError) {
                try removeFile(name)
            } catch {
                guard error.code == .missing else { throw error }
            }
        }
    }
}

extension ProtectedDatabase {
    /// How many rows the last statement has written.
    var changedRowCount: Int64 {
        unsafe handle.map { unsafe Int64(sqlite3_changes($0)) } ?? 0
    }
}
