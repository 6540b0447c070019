internal import DataProtection
internal import Synchronization

/// One file that SQLite has open: what it asks of a file, asked of the volume.
///
/// Calls for one file come one at a time, as SQLite keeps a connection to one thread at a time; a
/// lock of the volume comes from any thread.
final class OpenFile: Sendable {
    struct State {
        var level = LockLevel.none
        /// How many bytes the file grows by at least.
        var chunkByteCount: Int64 = 0
        var keepsLog = false
        var isPowerSafe: Bool
        var lockTimeout: Int32 = 0
        /// Whether the name is not durable yet.
        var needsFolderSync: Bool
    }

    let database: DatabaseVFS
    /// Keeps the volume open as long as a connection uses it.
    let volume: ProtectedVolume
    let file: ProtectedFile
    /// `nil` for a file without a name.
    let path: String?
    let flags: FileFlags
    /// The record of the database, for that itself and for its log.
    let record: FileRecord?
    /// The file was made with this handle, and nobody named a class.
    let mayRaiseClass: Bool
    /// Whether a lock of the volume is rolling the transaction back.
    let isPurged = Atomic(false)
    private let state: Mutex<State>

    init(
        _ database: DatabaseVFS, _ volume: ProtectedVolume, _ file: ProtectedFile, path: String?,
        flags: FileFlags, record: FileRecord?, isNew: Bool, mayRaiseClass: Bool = false
    ) {
        self.database = database
        self.volume = volume
        self.file = file
        self.path = path
        self.flags = flags
        self.record = record
        self.mayRaiseClass = mayRaiseClass
        state = Mutex(
            State(isPowerSafe: database.isPowerSafe, needsFolderSync: isNew && path != nil))
    }

    /// Names this handle among those that have the database open.
    var owner: FileRecord.Owner { ObjectIdentifier(self) }

    var role: FileRole { flags.role }

    /// Runs a step under the handle's own lock.
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Whether the volume's lock state refuses the content.
    var isSealed: Bool {
        do throws(ProtectionError) {
            try file.requireUsable()
            return false
        } catch {
            return true
        }
    }

    /// Reads at an offset; behind the end are zeros.
    ///
    /// - Returns: whether all of it was inside the file.
    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(ProtectionError)
        -> Bool
    {
        if role == .wal, let record { return try readLog(record, into: &bytes, at: offset) }
        return try readFile(into: &bytes, at: offset)
    }

    /// The same from the file itself.
    func readFile(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(ProtectionError)
        -> Bool
    {
        let count = try file.read(into: &bytes, at: offset)
        guard count < bytes.count else { return true }
        for index in count..<bytes.count { bytes[index] = 0 }
        return false
    }

    /// Writes at an offset.
    ///
    /// - Throws: also when the transaction met a lock of the volume: it must not be finished after
    ///   the unlock, since what it read before may have been rolled back.
    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(ProtectionError) {
        if role == .wal, let record { return try writeLog(record, bytes, at: offset) }
        if let record, record.withState({ $0.hasFault(owner) }) { throw .transactionMetLock }
        try file.write(bytes, at: offset)
    }

    /// Makes what was written durable, and the file's name when it is new.
    func synchronize(everything: Bool) throws(ProtectionError) {
        try settle()
        try file.synchronize(everything: everything)
        guard let path, withState({ $0.needsFolderSync }) else { return }
        try volume.synchronizeFolder(VolumeNames.folder(of: path))
        withState { $0.needsFolderSync = false }
    }

    /// Sets space aside for a file that is about to grow.
    func reserve(byteCount: Int64) throws(ProtectionError) {
        let chunk = withState { $0.chunkByteCount }
        guard chunk > 0 else { return }
        let end = (byteCount + chunk - 1) / chunk * chunk
        guard end > file.size else { return }
        do throws(ProtectionError) {
            try file.allocate(file.size..<end, keepsSize: true)
        } catch {
            guard error.code == .notSupported else { throw error }
        }
    }

    /// Lets go of everything; called once.
    func close() {
        record?.withState { state in
            state.lower(owner, to: .none)
            if role == .database { state.leaveIndex(owner) }
            state.faulted.remove(owner)
        }
        database.forget(self)
        if flags.deletesOnClose, let path { try? volume.removeFile(path) }
    }
}
