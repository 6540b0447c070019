internal import CLinux
internal import Glibc

/// Calls that read or change attributes.
extension HostSystemCalls {
    /// The corresponding C function is `fchmod`.
    static func setMode(_ mode: UInt32, of file: borrowing HostDescriptor) throws(HostError) {
        let number = file.number
        _ = try checked("fchmod") { fchmod(number, mode) }
    }

    /// The corresponding C function is `fchmodat`, with `AT_SYMLINK_NOFOLLOW`: glibc changes the
    /// mode through `/proc/self/fd` and an `O_PATH` descriptor, so a fifo or device is not opened.
    static func setMode(
        _ mode: UInt32, of name: String, in folder: borrowing HostDescriptor
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("fchmodat") { unsafe fchmodat(number, name, mode, AT_SYMLINK_NOFOLLOW) }
    }

    /// The corresponding C function is `fchown`. What is `nil` stays: C's -1.
    static func setOwner(
        _ owner: UInt32?, group: UInt32?, of file: borrowing HostDescriptor
    ) throws(HostError) {
        let number = file.number
        _ = try checked("fchown") { fchown(number, owner ?? .max, group ?? .max) }
    }

    /// The corresponding C function is `fchownat`, with `AT_SYMLINK_NOFOLLOW`.
    static func setOwner(
        _ owner: UInt32?, group: UInt32?, of name: String, in folder: borrowing HostDescriptor
    ) throws(HostError) {
        let number = folder.number
        _ = try checked("fchownat") {
            unsafe fchownat(
                number, name, owner ?? .max, group ?? .max, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// The corresponding C function is `futimens`. What is `nil` stays.
    static func setTimes(
        access: NewHostTime?, modification: NewHostTime?, of file: borrowing HostDescriptor
    ) throws(HostError) {
        let number = file.number
        let times = [timespec(access), timespec(modification)]
        _ = try checked("futimens") { unsafe futimens(number, times) }
    }

    /// The corresponding C function is `utimensat`, with `AT_SYMLINK_NOFOLLOW`.
    static func setTimes(
        access: NewHostTime?, modification: NewHostTime?, of name: String,
        in folder: borrowing HostDescriptor
    ) throws(HostError) {
        let number = folder.number
        let times = [timespec(access), timespec(modification)]
        _ = try checked("utimensat") {
            unsafe utimensat(number, name, times, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// The value of a `user.*` attribute. The corresponding C function is `fgetxattr`.
    static func userAttribute(
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
            // Linux allows values of at most 64 KiB; most are small, so the small buffer came
            // first.
            bytes = [UInt8](repeating: 0, count: HostName.attributeByteLimit)
            let count = try checked("fgetxattr") {
                unsafe fgetxattr(number, name, &bytes, UInt(bytes.count))
            }
            return Array(bytes[..<count])
        }
    }

    /// The names of all attributes, each with a zero behind it. The corresponding C function is
    /// `flistxattr`.
    static func attributeNames(
        of file: borrowing HostDescriptor
    ) throws(HostError) -> [UInt8] {
        let number = file.number
        // Linux tells at most 64 KiB of names.
        var bytes = [CChar](repeating: 0, count: 1024)
        do {
            let count = try checked("flistxattr") {
                unsafe flistxattr(number, &bytes, UInt(bytes.count))
            }
            return bytes[..<count].map { UInt8(bitPattern: $0) }
        } catch let error where error.code == ERANGE {
            bytes = [CChar](repeating: 0, count: 65536)
            let count = try checked("flistxattr") {
                unsafe flistxattr(number, &bytes, UInt(bytes.count))
            }
            return bytes[..<count].map { UInt8(bitPattern: $0) }
        }
    }

    /// The corresponding C function is `fsetxattr`.
    static func setUserAttribute(
        _ name: String, of file: borrowing HostDescriptor, to value: [UInt8],
        rule: HostAttributeRule
    ) throws(HostError) {
        let flags =
            switch rule {
            case .set: Int32(0)
            case .create: Int32(CLINUX_XATTR_CREATE)
            case .replace: Int32(CLINUX_XATTR_REPLACE)
            }
        let number = file.number
        _ = try checked("fsetxattr") {
            unsafe fsetxattr(number, name, value, UInt(value.count), flags)
        }
    }

    /// The corresponding C function is `fremovexattr`.
    static func removeUserAttribute(
        _ name: String, of file: borrowing HostDescriptor
    ) throws(HostError) {
        let number = file.number
        _ = try checked("fremovexattr") { unsafe fremovexattr(number, name) }
    }
}

extension timespec {
    /// A time to set, as C has it; `nil` leaves it.
    fileprivate init(_ time: NewHostTime?) {
        self =
            switch time {
            case nil: timespec(tv_sec: 0, tv_nsec: Int(CLINUX_UTIME_OMIT))
            case .now: timespec(tv_sec: 0, tv_nsec: Int(CLINUX_UTIME_NOW))
            case .time(let time):
                timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
            }
    }
}
