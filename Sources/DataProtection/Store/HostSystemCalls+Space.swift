internal import CLinux
internal import Glibc

/// Calls about the space that a file and its file system occupy.
extension HostSystemCalls {
    /// The host's block size, in bytes. The corresponding C function is `fstatvfs`.
    static func blockByteCount(of file: borrowing HostDescriptor) throws(HostError) -> Int {
        Int(try fileSystemStatus(of: file).f_bsize)
    }

    /// How full the host is. The corresponding C function is `fstatvfs`.
    static func space(of file: borrowing HostDescriptor) throws(HostError) -> HostSpace {
        let status = try fileSystemStatus(of: file)
        return HostSpace(
            blockByteCount: Int64(clamping: status.f_frsize),
            blockCount: Int64(clamping: status.f_blocks),
            freeBlockCount: Int64(clamping: status.f_bfree),
            availableBlockCount: Int64(clamping: status.f_bavail),
            inodeCount: Int64(clamping: status.f_files),
            freeInodeCount: Int64(clamping: status.f_ffree))
    }

    private static func fileSystemStatus(
        of file: borrowing HostDescriptor
    ) throws(HostError) -> statvfs {
        let number = file.number
        var status = statvfs()
        _ = try checked("fstatvfs") { unsafe fstatvfs(number, &status) }
        return status
    }

    /// Where data begins from an offset on; `nil` for none. The corresponding C function is `lseek`
    /// with `SEEK_DATA`.
    static func nextData(
        in file: borrowing HostDescriptor, from offset: Int64
    ) throws(HostError) -> Int64? {
        let number = file.number
        do {
            return Int64(
                try checked("lseek") { lseek(number, off_t(offset), Int32(CLINUX_SEEK_DATA)) })
        } catch  where error.code == HostError.noSuchDeviceOrAddress {
            return nil
        } catch  where error.code == HostError.invalidArgument {
            return offset  // the host cannot tell
        }
    }

    /// Where a hole begins from an offset on; `nil` at or behind the end. The corresponding C
    /// function is `lseek` with `SEEK_HOLE`.
    static func nextHole(
        in file: borrowing HostDescriptor, from offset: Int64
    ) throws(HostError) -> Int64? {
        let number = file.number
        do {
            return Int64(
                try checked("lseek") { lseek(number, off_t(offset), Int32(CLINUX_SEEK_HOLE)) })
        } catch  where error.code == HostError.noSuchDeviceOrAddress {
            return nil
        } catch  where error.code == HostError.invalidArgument {
            // The host cannot tell, and the end is a hole on every host.
            let end = Int64(try status(of: file).st_size)
            return offset < end ? end : nil
        }
    }

    /// The corresponding C function is `fallocate`, with `FALLOC_FL_KEEP_SIZE` and, to make a hole,
    /// `FALLOC_FL_PUNCH_HOLE`.
    static func allocate(
        _ range: Range<Int64>, of file: borrowing HostDescriptor, asHole isHole: Bool
    ) throws(HostError) {
        let number = file.number
        let flags = CLINUX_FALLOC_KEEP_SIZE | (isHole ? CLINUX_FALLOC_PUNCH_HOLE : 0)
        _ = try checked("fallocate") {
            fallocate(number, Int32(flags), Int(range.lowerBound), range.count)
        }
    }
}
