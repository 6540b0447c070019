import Glibc

/// What a host file is.
struct HostStatus: Sendable {
    /// Whether it is a regular file.
    let isRegular: Bool
    /// Whether it is a folder.
    let isFolder: Bool
    /// Permission bits, without set-id bits.
    let mode: UInt32
    /// What no other file of the host has at the same time: device and inode.
    let identity: [UInt64]
    /// Its size, in bytes; only a regular file's means something.
    let byteCount: Int64
    /// When its content last changed, in nanoseconds since 1970.
    let modified: Int64

    init(_ status: stat) {
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        mode = status.st_mode & 0o777
        identity = [UInt64(status.st_dev), UInt64(status.st_ino)]
        byteCount = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}

/// An open file of the host, closed when its owner goes. Each method is one system call, or a loop
/// over one.
final class HostFile: Sendable {
    /// The descriptor.
    let number: Int32
    /// What error messages call it.
    let path: String
    private let isBorrowed: Bool

    /// Opens a file. The corresponding C function is `open`.
    init(opening path: String, flags: Int32 = O_RDONLY, mode: UInt32 = 0) throws(HostFailure) {
        let number = unsafe openat(AT_FDCWD, path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last(path) }
        self.number = number
        self.path = path
        isBorrowed = false
    }

    /// Opens a file to read it. A name of standard input means what is open there already, so that
    /// what was read of it is not read again, and a closed one is not taken for an empty file.
    convenience init(reading path: String) throws(HostFailure) {
        if ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) {
            self.init(borrowing: STDIN_FILENO, "standard input")
        } else {
            try self.init(opening: path)
        }
    }

    private init(borrowing number: Int32, _ name: String) {
        self.number = number
        path = name
        isBorrowed = true
    }

    /// Takes over a descriptor.
    init(owning number: Int32, _ name: String) {
        self.number = number
        path = name
        isBorrowed = false
    }

    deinit { if !isBorrowed { _ = close(number) } }

    /// Standard input, which stays open.
    static var standardInput: HostFile { HostFile(borrowing: STDIN_FILENO, "standard input") }
    /// Standard output, which stays open.
    static var standardOutput: HostFile { HostFile(borrowing: STDOUT_FILENO, "standard output") }
    /// Standard error, which stays open.
    static var standardError: HostFile { HostFile(borrowing: STDERR_FILENO, "standard error") }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: how many bytes were read; fewer than the buffer holds only at the end.
    /// - Throws: `HostFailure` with `EINTR` only when a signal asked the program to end.
    func fill(_ bytes: inout MutableSpan<UInt8>) throws(HostFailure) -> Int {
        let descriptor = number
        var filled = 0
        while filled < bytes.count {
            let start = filled
            try waitForInput()
            let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe read(descriptor, buffer.baseAddress! + start, buffer.count - start)
            }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR, !Interruption.isPending { continue }
                throw .last(path)
            }
            filled += count
        }
        return filled
    }

    /// Fills an array; see the other `fill`.
    func fill(_ bytes: inout [UInt8]) throws(HostFailure) -> Int {
        var span = bytes.mutableSpan
        return try fill(&span)
    }

    /// Waits until a read does not block.
    ///
    /// A signal that comes just before a blocking read does not break it off; so the wait looks up
    /// ten times a second.
    /// - Throws: `EINTR` when a signal asked the program to end.
    private func waitForInput() throws(HostFailure) {
        var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            if Interruption.isPending { throw HostFailure(code: EINTR, place: path) }
            // An error shows itself again in the read that follows.
            let count = unsafe poll(&wanted, 1, 100)
            if count > 0 || (count < 0 && errno != EINTR) { return }
        }
    }

    /// Writes everything.
    func writeAll(_ bytes: Span<UInt8>) throws(HostFailure) {
        let descriptor = number
        var written = 0
        while written < bytes.count {
            let start = written
            let count = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe write(descriptor, buffer.baseAddress! + start, buffer.count - start)
            }
            if count < 0 {
                if errno == EINTR, !Interruption.isPending { continue }
                throw .last(path)
            }
            written += count
        }
    }

    /// The corresponding C function is `fstat`.
    func status() throws(HostFailure) -> HostStatus {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last(path) }
        return HostStatus(status)
    }

    /// Sets the permission bits. The corresponding C function is `fchmod`.
    func setMode(_ mode: UInt32) throws(HostFailure) {
        guard fchmod(number, mode) == 0 else { throw .last(path) }
    }

    /// Makes the content durable. The corresponding C function is `fsync`.
    func synchronize() throws(HostFailure) {
        guard fsync(number) == 0 else { throw .last(path) }
    }
}
