internal import CLinux
internal import Glibc

/// Calls that change or read names, attributes of files, and this process's surroundings.
extension HostSystemCalls {
    /// The corresponding C function is `mkdirat`.
    static func makeFolder(
        _ name: String, in folder: borrowing HostDescriptor, mode: UInt32
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("mkdirat") { unsafe mkdirat(number, name, mode) }
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

    /// The corresponding C function is `fchmodat`, with `AT_SYMLINK_NOFOLLOW`.
    static func setMode(
        _ mode: UInt32, of name: String, in folder: borrowing HostDescriptor
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("fchmodat") { unsafe fchmodat(number, name, mode, AT_SYMLINK_NOFOLLOW) }
    }

    /// Fills a buffer with directory records; 0 at the end. The C function is `getdents64`.
    static func readEntries(
        of folder: borrowing HostDescriptor, into bytes: inout [UInt8]
    ) throws(HostError) -> Int {
        let number = folder.number
        let capacity = UInt(bytes.count)
        return try checked("getdents64") { unsafe getdents64(number, &bytes, capacity) }
    }

    /// The value of an attribute. The corresponding C function is `fgetxattr`.
    static func attribute(
        _ name: String, of file: borrowing HostDescriptor
    ) throws(HostError) -> [UInt8] {
        let number = file.number
        var bytes = [UInt8](repeating: 0, count: 256)
        do {
            let count = try checked("fgetxattr") {
                unsafe fgetxattr(number, name, &bytes, UInt(bytes.count))
            }
            return Array(bytes[..<count])
        } catch let error where error.code == ERANGE {
            // Linux allows values of at most 64 KiB; ours are small, so the small buffer came
            // first.
            bytes = [UInt8](repeating: 0, count: 65536)
            let count = try checked("fgetxattr") {
                unsafe fgetxattr(number, name, &bytes, UInt(bytes.count))
            }
            return Array(bytes[..<count])
        }
    }

    /// The corresponding C function is `fsetxattr`.
    static func setAttribute(
        _ name: String, of file: borrowing HostDescriptor, to value: [UInt8]
    ) throws(HostError) {
        let number = file.number
        _ = try checked("fsetxattr") {
            unsafe fsetxattr(number, name, value, UInt(value.count), 0)
        }
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
