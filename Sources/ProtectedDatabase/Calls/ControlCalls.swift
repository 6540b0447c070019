internal import CSQLite
internal import DataProtection

/// The questions that SQLite, or a program through `sqlite3_file_control`, asks about a file.
enum ControlCalls {
    static func answer(
        _ operation: Int32, _ argument: UnsafeMutableRawPointer?, _ file: OpenFile
    ) -> Int32 {
        guard let argument = unsafe argument else { return ResultCode.notFound }
        switch operation {
        case SQLITE_FCNTL_PDB:
            let place = unsafe argument.assumingMemoryBound(to: OpaquePointer?.self)
            guard file.role == .database, let handle = unsafe place.pointee else { break }
            file.database.connect(unsafe ConnectionHandle(handle), file)
        case SQLITE_FCNTL_VFSNAME:
            unsafe give(file.database.name, argument)
        case SQLITE_FCNTL_TEMPFILENAME:
            do throws(ProtectionError) {
                unsafe give("/" + (try file.volume.freeTemporaryPath()), argument)
            } catch {
                return file.database.answer(error, else: ResultCode.cannotOpen)
            }
        case SQLITE_FCNTL_SIZE_HINT:
            let size = unsafe argument.load(as: Int64.self)
            do throws(ProtectionError) {
                try file.reserve(byteCount: size)
            } catch {
                return file.database.answer(error, else: ResultCode.write)
            }
        case SQLITE_FCNTL_MMAP_SIZE:
            unsafe argument.storeBytes(of: 0, as: Int64.self)
        default:
            return unsafe answerNumber(
                operation, argument.assumingMemoryBound(to: Int32.self), file)
        }
        return ResultCode.ok
    }

    /// Those that are asked with an `int`.
    private static func answerNumber(
        _ operation: Int32, _ number: UnsafeMutablePointer<Int32>, _ file: OpenFile
    ) -> Int32 {
        switch operation {
        case SQLITE_FCNTL_LOCKSTATE:
            unsafe number.pointee = file.withState { $0.level.rawValue }
        case SQLITE_FCNTL_LAST_ERRNO:
            unsafe number.pointee = file.database.lastFailure?.errorNumber ?? 0
        case SQLITE_FCNTL_CHUNK_SIZE:
            let count = unsafe Int64(number.pointee)
            file.withState { $0.chunkByteCount = max(0, count) }
        case SQLITE_FCNTL_PERSIST_WAL:
            unsafe exchange(number, file, \.keepsLog)
        case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
            unsafe exchange(number, file, \.isPowerSafe)
        case SQLITE_FCNTL_HAS_MOVED:
            unsafe number.pointee = file.database.hasMoved(file) ? 1 : 0
        case SQLITE_FCNTL_LOCK_TIMEOUT:
            let timeout = unsafe number.pointee
            unsafe number.pointee = file.withState { state in
                defer { state.lockTimeout = max(0, timeout) }
                return state.lockTimeout
            }
        default:
            return ResultCode.notFound
        }
        return ResultCode.ok
    }

    /// A negative number asks, 0 and 1 set.
    private static func exchange(
        _ number: UnsafeMutablePointer<Int32>, _ file: OpenFile,
        _ trait: WritableKeyPath<OpenFile.State, Bool>
    ) {
        let asked = unsafe number.pointee
        unsafe number.pointee = file.withState { state in
            if asked >= 0 { state[keyPath: trait] = asked != 0 }
            return state[keyPath: trait] ? 1 : 0
        }
    }

    /// A text that SQLite frees.
    private static func give(_ text: String, _ argument: UnsafeMutableRawPointer) {
        let count = text.utf8.count
        guard let copy = unsafe sqlite3_malloc64(UInt64(count + 1)) else { return }
        let bytes = unsafe copy.bindMemory(to: UInt8.self, capacity: count + 1)
        for (index, byte) in text.utf8.enumerated() { unsafe bytes[index] = byte }
        unsafe bytes[count] = 0
        unsafe argument.storeBytes(of: copy, as: UnsafeMutableRawPointer?.self)
    }
}
