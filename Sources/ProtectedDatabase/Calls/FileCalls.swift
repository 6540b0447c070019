internal import CSQLite
internal import DataProtection
internal import Synchronization

/// The functions that SQLite calls about an open file: they unpack pointers, ask the file, and
/// answer. Version 2 of the table: there is no memory mapping, which no lock could take back.
enum FileCalls {
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: sqlite3_io_methods())
        unsafe methods.pointee.iVersion = 2
        unsafe installContent(on: methods)
        unsafe installLocks(on: methods)
        unsafe installIndex(on: methods)
        unsafe methods.pointee.xFileControl = { file, operation, argument in
            unsafe FileCalls.call(file) { file in
                unsafe ControlCalls.answer(operation, argument, file)
            }
        }
        return unsafe methods
    }()

    /// Ties a file to the place where SQLite looks for it.
    static func attach(_ opened: OpenFile, to file: UnsafeMutablePointer<sqlite3_file>) {
        let slot = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: csqlite_file.self)
        unsafe slot.pointee.object = Unmanaged.passRetained(opened).toOpaque()
        unsafe slot.pointee.base.pMethods = UnsafePointer(methods)
    }

    private static func reference(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> Unmanaged<OpenFile> {
        let slot = unsafe UnsafeMutableRawPointer(file!).assumingMemoryBound(to: csqlite_file.self)
        return unsafe Unmanaged<OpenFile>.fromOpaque(slot.pointee.object)
    }

    /// Runs a call; a lock of the volume that comes on this thread meanwhile leaves SQLite alone.
    private static func call(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (OpenFile) -> Int32
    ) -> Int32 {
        let file = unsafe reference(file).takeUnretainedValue()
        return CallDepth.within { body(file) }
    }

    /// The same for a call that can be refused.
    private static func attempt(
        _ file: UnsafeMutablePointer<sqlite3_file>?, else code: Int32,
        _ body: (OpenFile) throws(ProtectionError) -> Int32
    ) -> Int32 {
        unsafe call(file) { file in
            do throws(ProtectionError) {
                return try body(file)
            } catch {
                return file.database.answer(error, else: code)
            }
        }
    }

    private static func installContent(on methods: UnsafeMutablePointer<sqlite3_io_methods>) {
        unsafe methods.pointee.xClose = { file in
            let opened = unsafe FileCalls.reference(file)
            unsafe file!.pointee.pMethods = nil
            unsafe opened.takeRetainedValue().close()
            return ResultCode.ok
        }
        unsafe methods.pointee.xRead = { file, buffer, count, offset in
            unsafe FileCalls.attempt(file, else: ResultCode.read) { file throws(ProtectionError) in
                let start = unsafe buffer!.assumingMemoryBound(to: UInt8.self)
                var bytes = unsafe MutableSpan(_unsafeStart: start, count: Int(count))
                return try file.read(into: &bytes, at: offset)
                    ? ResultCode.ok : ResultCode.shortRead
            }
        }
        unsafe methods.pointee.xWrite = { file, buffer, count, offset in
            unsafe FileCalls.attempt(file, else: ResultCode.write) { file throws(ProtectionError) in
                let start = unsafe buffer!.assumingMemoryBound(to: UInt8.self)
                try file.write(unsafe Span(_unsafeStart: start, count: Int(count)), at: offset)
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xTruncate = { file, size in
            unsafe FileCalls.attempt(file, else: ResultCode.truncate) {
                file throws(ProtectionError) in
                try file.settle()
                try file.file.truncate(to: size)
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xSync = { file, flags in
            unsafe FileCalls.attempt(file, else: ResultCode.sync) { file throws(ProtectionError) in
                try file.synchronize(everything: flags & SQLITE_SYNC_DATAONLY == 0)
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xFileSize = { file, size in
            unsafe FileCalls.attempt(file, else: ResultCode.size) { file throws(ProtectionError) in
                try file.settle()
                unsafe size!.pointee = file.file.size
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xSectorSize = { _ in DiskTraits.sectorByteCount }
        unsafe methods.pointee.xDeviceCharacteristics = { file in
            unsafe FileCalls.call(file) { file in
                file.withState { $0.isPowerSafe } ? DiskTraits.powerSafeOverwrite : 0
            }
        }
    }

    private static func installLocks(on methods: UnsafeMutablePointer<sqlite3_io_methods>) {
        unsafe methods.pointee.xLock = { file, level in
            unsafe FileCalls.attempt(file, else: ResultCode.lock) { file throws(ProtectionError) in
                var waited: Int32 = 0
                while !(try file.lock(LockLevel(rawValue: level) ?? .exclusive)) {
                    guard waited < file.withState({ $0.lockTimeout }) else {
                        return ResultCode.busy
                    }
                    SystemCalls.sleep(milliseconds: 1)
                    waited += 1
                }
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xUnlock = { file, level in
            unsafe FileCalls.call(file) { file in
                file.unlock(LockLevel(rawValue: level) ?? .none)
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xCheckReservedLock = { file, answer in
            unsafe FileCalls.call(file) { file in
                unsafe answer!.pointee = file.isReserved ? 1 : 0
                return ResultCode.ok
            }
        }
    }

    private static func installIndex(on methods: UnsafeMutablePointer<sqlite3_io_methods>) {
        unsafe methods.pointee.xShmMap = { file, number, byteCount, extends, out in
            unsafe FileCalls.call(file) { file in
                let region = file.indexRegion(
                    Int(number), byteCount: Int(byteCount), extends: extends != 0)
                unsafe out!.pointee = region?.address
                return ResultCode.ok
            }
        }
        unsafe methods.pointee.xShmLock = { file, slot, count, flags in
            unsafe FileCalls.attempt(file, else: ResultCode.lock) { file throws(ProtectionError) in
                let slots = Int(slot)..<Int(slot + count)
                guard flags & SQLITE_SHM_LOCK != 0 else {
                    file.unlockIndex(slots)
                    return ResultCode.ok
                }
                let isTaken = try file.lockIndex(slots, shared: flags & SQLITE_SHM_SHARED != 0)
                return isTaken ? ResultCode.ok : ResultCode.busy
            }
        }
        unsafe methods.pointee.xShmBarrier = { _ in
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        }
        unsafe methods.pointee.xShmUnmap = { file, _ in
            unsafe FileCalls.call(file) { file in
                file.leaveIndex()
                return ResultCode.ok
            }
        }
    }
}

/// What is true of a volume's files as a disk; docs/decisions/0006-databases.md has the reasons.
enum DiskTraits {
    /// What SQLite takes for the unit of the disk, in bytes.
    static let sectorByteCount: Int32 = 4096
    /// Bytes beside those that are written stay what they were, also when the power fails.
    static let powerSafeOverwrite: Int32 = 0x1000
}
