internal import DataProtection
internal import Synchronization

/// The write-ahead log, whose frames are written together (`HeldFrames`).
extension OpenFile {
    /// Reads from the log; behind its end are zeros.
    ///
    /// - Returns: whether all of it was inside the log.
    func readLog(
        _ record: FileRecord, into bytes: inout MutableSpan<UInt8>, at offset: Int64
    ) throws(ProtectionError) -> Bool {
        switch record.withState({ $0.held.read(into: &bytes, at: offset) }) {
        case .held:
            try file.beginUse()
            return true
        case .file: break
        case .fileLater: try writeHeld(record)
        case .lost: throw .transactionMetLock
        }
        return try readFile(into: &bytes, at: offset)
    }

    /// Writes to the log.
    func writeLog(
        _ record: FileRecord, _ bytes: Span<UInt8>, at offset: Int64
    ) throws(ProtectionError) {
        let step = try record.withState { (state) throws(ProtectionError) -> HeldFrames.Step in
            let writer = state.index.writer
            if state.hasFault(writer ?? owner) { throw .transactionMetLock }
            // A connection that has the database for itself takes no locks: nobody would say when
            // its transaction is over.
            return writer == nil ? .pass : state.held.take(bytes, at: offset)
        }
        switch step {
        case .held: try file.beginUse()
        case .writeHeld: try writeHeld(record)
        case .pass: try file.write(bytes, at: offset)
        case .writeHeldAndPass:
            try writeHeld(record)
            try file.write(bytes, at: offset)
        }
    }

    /// Writes what is held of the log, before somebody looks at the file itself.
    func settle() throws(ProtectionError) {
        guard role == .wal, let record, record.withState({ $0.held.byteCount > 0 }) else { return }
        try writeHeld(record)
    }

    /// Writes what is held. It stays held when it cannot be written, except after a lock of the
    /// volume.
    private func writeHeld(_ record: FileRecord) throws(ProtectionError) {
        var taken = record.withState { $0.held.takeOut() }
        do throws(ProtectionError) {
            try file.write(taken.span, at: taken.start)
        } catch {
            record.withState { state in
                state.held.takeBack(&taken)
                if state.hasFault(state.index.writer ?? owner) { state.held.lose() }
            }
            throw error
        }
        record.withState { state in
            state.held.takeBack(&taken)
            state.held.wipe()
        }
    }
}
