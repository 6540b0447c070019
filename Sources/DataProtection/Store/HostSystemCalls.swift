internal import CLinux
internal import Glibc

/// The one door to the host's file system: each function is one system call, or a loop over one.
///
/// Nothing here decides anything. Calls that a signal interrupts are made again, except `close`.
enum HostSystemCalls {
    /// Makes a call until a signal does not interrupt it. See: 'man 7 signal'.
    static func checked<Value: SignedInteger>(
        _ call: StaticString, _ body: () -> Value
    ) throws(HostError) -> Value {
        while true {
            let value = body()
            if value >= 0 { return value }
            let code = errno
            if code != EINTR { throw HostError(code: code, call: "\(call)") }
        }
    }

    /// Opens what a path names, relative to no folder. The corresponding C function is `open`.
    static func open(path: String, flags: Int32) throws(HostError) -> HostDescriptor {
        let number = try checked("open") { unsafe openat(AT_FDCWD, path, flags, 0) }
        return HostDescriptor(owning: number)
    }

    /// The corresponding C function is `openat`.
    static func open(
        _ name: String, in folder: borrowing HostDescriptor, flags: Int32, mode: UInt32 = 0
    ) throws(HostError) -> HostDescriptor {
        let folder = folder.number
        return HostDescriptor(
            owning: try checked("openat") { unsafe openat(folder, name, flags, mode) })
    }

    /// Lets reading a file that was just made leave no trace, where that is allowed: the flag is
    /// for owners, and asking for it at the making would make the file and then refuse it.
    static func leaveNoTrace(_ file: borrowing HostDescriptor) {
        _ = fcntl(file.number, F_SETFL, Int32(CLINUX_O_NOATIME))
    }

    /// The corresponding C function is `close`. Never retried: the number may be somebody's
    /// already.
    static func close(_ number: Int32) {
        _ = Glibc.close(number)
    }

    /// The corresponding C function is `fstat`.
    static func status(of file: borrowing HostDescriptor) throws(HostError) -> stat {
        let number = file.number
        var status = stat()
        _ = try checked("fstat") { unsafe fstat(number, &status) }
        return status
    }

    /// The corresponding C function is `fstatat`, with `AT_SYMLINK_NOFOLLOW`.
    static func status(
        of name: String, in folder: borrowing HostDescriptor
    ) throws(HostError) -> stat {
        let folder = folder.number
        var status = stat()
        _ = try checked("fstatat") { unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }

    /// The corresponding C function is `pread`, called until the span is full or the file ends.
    static func read(
        _ file: borrowing HostDescriptor, into bytes: inout MutableSpan<UInt8>, at offset: Int64
    ) throws(HostError) -> Int {
        let number = file.number
        let wanted = bytes.count
        return try unsafe bytes.withUnsafeMutableBytes { (buffer) throws(HostError) -> Int in
            var done = 0
            while done < wanted {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count = try checked("pread") {
                    unsafe pread(number, rest.baseAddress, rest.count, Int(offset) + done)
                }
                if count == 0 { break }
                done += count
            }
            return done
        }
    }

    /// The corresponding C function is `pwrite`, called until all is written.
    static func write(
        _ bytes: Span<UInt8>, to file: borrowing HostDescriptor, at offset: Int64
    ) throws(HostError) {
        let number = file.number
        let wanted = bytes.count
        try unsafe bytes.withUnsafeBytes { (buffer) throws(HostError) in
            var done = 0
            while done < wanted {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = try checked("pwrite") {
                    unsafe pwrite(number, rest.baseAddress, rest.count, Int(offset) + done)
                }
                // A device that takes nothing and names no reason would keep us here for ever.
                if count == 0 { throw HostError(code: EIO, call: "pwrite") }
                done += count
            }
        }
    }

    /// The corresponding C function is `ftruncate`.
    static func truncate(
        _ file: borrowing HostDescriptor, to byteCount: Int64
    ) throws(HostError) {
        let number = file.number
        _ = try checked("ftruncate") { ftruncate(number, Int(byteCount)) }
    }

    /// The corresponding C functions are `fsync` and, without `everything`, `fdatasync`.
    static func sync(_ file: borrowing HostDescriptor, everything: Bool) throws(HostError) {
        let number = file.number
        if everything {
            _ = try checked("fsync") { fsync(number) }
        } else {
            _ = try checked("fdatasync") { fdatasync(number) }
        }
    }

    /// The corresponding C function is `syncfs`.
    static func syncFileSystem(of file: borrowing HostDescriptor) throws(HostError) {
        let number = file.number
        _ = try checked("syncfs") { syncfs(number) }
    }

    /// Takes an exclusive lock or fails with `EWOULDBLOCK`. The corresponding C function is
    /// `flock`.
    static func lock(_ file: borrowing HostDescriptor) throws(HostError) {
        let number = file.number
        _ = try checked("flock") { flock(number, LOCK_EX | LOCK_NB) }
    }

    /// Takes an exclusive lock when it is free. The corresponding C function is `flock`.
    static func waitForLock(_ file: borrowing HostDescriptor) throws(HostError) {
        let number = file.number
        _ = try checked("flock") { flock(number, LOCK_EX) }
    }

    /// Gives such a lock up at once. The corresponding C function is `flock`.
    static func unlock(_ file: borrowing HostDescriptor) {
        flock(file.number, LOCK_UN)
    }
}
