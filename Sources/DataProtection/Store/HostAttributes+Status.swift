internal import Glibc

/// How `struct stat` becomes our words.
extension HostAttributes {
    /// Reads what `fstat(2)` filled in.
    init(_ status: stat) {
        self.init(
            identity: HostIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
            kind: HostKind(mode: status.st_mode),
            byteCount: Int64(status.st_size),
            // POSIX counts st_blocks in units of 512, whatever the host's block size.
            allocatedByteCount: Int64(status.st_blocks) * 512,
            mode: status.st_mode & 0o7777,
            linkCount: UInt64(status.st_nlink),
            owner: status.st_uid,
            group: status.st_gid,
            accessTime: HostTime(status.st_atim),
            modificationTime: HostTime(status.st_mtim),
            changeTime: HostTime(status.st_ctim))
        if kind.isDevice { deviceNumber = UInt64(status.st_rdev) }
    }
}

extension HostTime {
    /// Reads a C time.
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}

extension HostKind {
    /// Reads the type bits of `st_mode`.
    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .symlink
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            case S_IFCHR: .characterDevice
            case S_IFBLK: .blockDevice
            default: .regular
            }
    }

    /// The type bits for `mknod(2)`; `nil` for what it does not make here.
    var nodeType: mode_t? {
        switch self {
        case .fifo: S_IFIFO
        case .socket: S_IFSOCK
        case .characterDevice: S_IFCHR
        case .blockDevice: S_IFBLK
        case .regular, .folder, .symlink: nil
        }
    }

    /// Whether it has a device number.
    var isDevice: Bool { self == .characterDevice || self == .blockDevice }

    /// Reads the type byte of a directory record; `nil` when the host does not tell there.
    init?(directoryType: UInt8) {
        if directoryType == 0 { return nil }
        // 'man 3 readdir': IFTODT is the type bits of st_mode, shifted.
        self.init(mode: mode_t(directoryType) << 12)
    }
}
