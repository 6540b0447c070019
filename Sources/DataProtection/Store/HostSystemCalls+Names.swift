internal import CLinux
internal import Glibc

/// Calls that change or read names, and this process's surroundings.
extension HostSystemCalls {
    /// The corresponding C function is `mkdirat`.
    static func makeFolder(
        _ name: String, in folder: borrowing HostDescriptor, mode: UInt32
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("mkdirat") { unsafe mkdirat(number, name, mode) }
    }

    /// The corresponding C function is `mknodat`.
    ///
    /// - Parameter mode: the type's bits and the permissions, which the umask still cuts.
    static func makeNode(
        _ name: String, in folder: borrowing HostDescriptor, mode: UInt32, device: UInt64
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("mknodat") { unsafe mknodat(number, name, mode, UInt(device)) }
    }

    /// The corresponding C function is `linkat`, without `AT_SYMLINK_FOLLOW`.
    static func makeLink(
        of name: String, in folder: borrowing HostDescriptor,
        as newName: String, in newFolder: borrowing HostDescriptor
    ) throws(HostError) {
        let number = folder.number
        let newNumber = newFolder.number
        _ = try checked("linkat") { unsafe linkat(number, name, newNumber, newName, 0) }
    }

    /// The corresponding C function is `symlinkat`.
    static func makeSymlink(
        _ name: String, in folder: borrowing HostDescriptor, target: String
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("symlinkat") { unsafe symlinkat(target, number, name) }
    }

    /// The corresponding C function is `readlinkat`.
    static func readSymlink(
        _ name: String, in folder: borrowing HostDescriptor
    ) throws(HostError) -> [UInt8] {
        let number = folder.number
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try checked("readlinkat") {
            unsafe readlinkat(number, name, &bytes, bytes.count)
        }
        return bytes[..<count].map { UInt8(bitPattern: $0) }
    }

    /// The corresponding C function is `unlinkat`, with `AT_REMOVEDIR` for a folder.
    static func remove(
        _ name: String, in folder: borrowing HostDescriptor, isFolder: Bool
    ) throws(HostError) {
        let flags = isFolder ? AT_REMOVEDIR : 0
        let number = folder.number
        _ = try checked("unlinkat") { unsafe unlinkat(number, name, flags) }
    }

    /// The corresponding C function is `renameat2`.
    static func rename(
        _ name: String, in folder: borrowing HostDescriptor,
        to newName: String, in newFolder: borrowing HostDescriptor, rule: HostRenameRule
    ) throws(HostError) {
        let flags =
            switch rule {
            case .replace: UInt32(0)
            case .exclusive: UInt32(CLINUX_RENAME_NOREPLACE)
            case .exchange: UInt32(CLINUX_RENAME_EXCHANGE)
            }
        let number = folder.number
        let newNumber = newFolder.number
        _ = try checked("renameat2") {
            unsafe renameat2(number, name, newNumber, newName, flags)
        }
    }

    /// Fills a buffer with directory records; 0 at the end. The C function is `getdents64`.
    static func readEntries(
        of folder: borrowing HostDescriptor, into bytes: inout [UInt8]
    ) throws(HostError) -> Int {
        let number = folder.number
        let capacity = UInt(bytes.count)
        return try checked("getdents64") { unsafe getdents64(number, &bytes, capacity) }
    }

    /// This process's number. The corresponding C function is `getpid`.
    static func processNumber() -> Int32 {
        getpid()
    }

    /// The user this process acts as. The corresponding C function is `geteuid`.
    static func userNumber() -> UInt32 {
        geteuid()
    }

    /// The group this process acts as. The corresponding C function is `getegid`.
    static func groupNumber() -> UInt32 {
        getegid()
    }

    /// The time on the host's clock. The corresponding C function is `clock_gettime`.
    static func currentTime() -> HostTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return HostTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
