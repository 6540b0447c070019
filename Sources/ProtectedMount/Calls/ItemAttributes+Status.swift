internal import CFuse
internal import DataProtection
internal import Glibc

extension ItemAttributes {
    /// As the kernel has it.
    var status: stat {
        var status = stat()
        status.st_ino = ino_t(identity)
        status.st_mode = kind.modeBits | mode
        status.st_nlink = nlink_t(linkCount)
        status.st_uid = owner
        status.st_gid = group
        status.st_rdev = dev_t(deviceNumber)
        status.st_size = off_t(kind == .folder ? hostByteCount : size)
        status.st_blksize = 4096
        status.st_blocks = blkcnt_t(allocatedByteCount / 512)
        status.st_atim = accessTime.value
        status.st_mtim = modificationTime.value
        status.st_ctim = changeTime.value
        return status
    }
}

extension ItemKind {
    /// The bits of a mode that say what it is.
    var modeBits: UInt32 {
        switch self {
        case .file: S_IFREG
        case .folder: S_IFDIR
        case .symlink: S_IFLNK
        case .fifo: S_IFIFO
        case .socket: S_IFSOCK
        case .characterDevice: S_IFCHR
        case .blockDevice: S_IFBLK
        }
    }

    /// What a mode says that it is.
    init?(modeBits mode: UInt32) {
        switch mode & S_IFMT {
        case 0, S_IFREG: self = .file
        case S_IFIFO: self = .fifo
        case S_IFSOCK: self = .socket
        case S_IFCHR: self = .characterDevice
        case S_IFBLK: self = .blockDevice
        default: return nil
        }
    }
}

extension FileTime {
    fileprivate var value: timespec {
        timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    }

    /// A time of the kernel's.
    init(_ value: timespec) {
        self.init(seconds: Int64(value.tv_sec), nanoseconds: Int64(value.tv_nsec))
    }
}
