import CLinux
import DataProtection
import Glibc

// Open files.

extension PlainFolder {
    func open(_ slot: Int, _ path: String, _ opening: ModelOpening) throws(Failure) -> ModelResult {
        close(slot)
        let options = opening.openOptions
        let isWritable = opening.isWritable
        let isReadable = options.contains(.read)
        var flags = isWritable ? (isReadable ? O_RDWR : O_WRONLY) : O_RDONLY
        // A fifo must not wait for its other end; reading must not change a time.
        flags |= O_CLOEXEC | O_NONBLOCK | CInt(CLINUX_O_NOATIME)
        for (option, flag) in [
            (OpenOptions.append, O_APPEND), (.create, O_CREAT), (.exclusive, O_EXCL),
            (.truncate, O_TRUNC), (.noFollow, O_NOFOLLOW), (.synchronized, O_SYNC),
        ] where options.contains(option) { flags |= flag }
        // Outside of O_CREAT a flag alone means nothing.
        if !options.contains(.create) { flags &= ~O_EXCL }
        let isThere = (try? status(path, follows: true)) != nil
        let descriptor = try openRegular(path, flags)
        // The umask is the process's; the mode is to be the one that was asked for.
        if !isThere { fchmod(descriptor, opening.mode) }
        put(
            OpenFile(descriptor: descriptor, isWritable: isWritable, isReadable: isReadable),
            into: slot)
        return .done
    }

    /// Opens a file; what is none is refused as a volume refuses it, whatever its mode is.
    func openRegular(_ path: String, _ flags: CInt) throws(Failure) -> CInt {
        let descriptor = Glibc.open(host(path), flags, 0o600)
        let number = errno
        let found = try? status(path, follows: flags & O_NOFOLLOW == 0)
        if let found, found.format != S_IFREG, descriptor >= 0 || number == EACCES {
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
            throw Failure(number: found.format == S_IFDIR ? EISDIR : ENXIO)
        }
        if descriptor < 0 { throw Failure(number: number) }
        return descriptor
    }

    /// Does an operation on a slot.
    func performOnSlot(_ operation: ModelOperation) throws(Failure) -> ModelResult {
        switch operation {
        case .close(let slot):
            close(slot)
            return .done
        case .read(let slot, let offset, let count):
            guard let file = slots[slot] else { return .nothing }
            return .bytes(try read(file.descriptor, offset, count))
        case .write(let slot, let offset, let bytes):
            guard let file = slots[slot] else { return .nothing }
            try write(file.descriptor, bytes.bytes, offset)
            return .done
        case .append(let slot, let bytes):
            guard let file = slots[slot], let status = status(ofSlot: slot) else { return .nothing }
            try write(file.descriptor, bytes.bytes, Int64(status.st_size))
            return .place(Int64(status.st_size))
        case .truncate(let slot, let size):
            guard let file = slots[slot] else { return .nothing }
            // The kernel calls a descriptor that cannot be written an invalid argument here.
            guard file.isWritable else { throw Failure(number: EBADF) }
            try check(ftruncate(file.descriptor, Int(size)))
            return .done
        case .allocate(let slot, let range, let keepsSize):
            return try allocate(slot, range, keepsSize ? CInt(CLINUX_FALLOC_KEEP_SIZE) : 0)
        case .punchHole(let slot, let range):
            return try allocate(slot, range, punchHole)
        case .zeroRange(let slot, let range, let keepsSize):
            return try zero(slot, range, keepsSize: keepsSize)
        case .synchronize(let slot, let everything):
            guard let file = slots[slot] else { return .nothing }
            try check(everything ? fsync(file.descriptor) : fdatasync(file.descriptor))
            return .done
        case .status(let slot):
            return status(ofSlot: slot).map { .attributes($0.attributes()) } ?? .nothing
        case .change(let slot, let change):
            guard let file = slots[slot] else { return .nothing }
            try self.change(change, descriptor: file.descriptor)
            return .done
        case .setClassOfOpen(let slot, _): return slots[slot] == nil ? .nothing : .done
        default: return .nothing
        }
    }

    private var punchHole: CInt { CInt(CLINUX_FALLOC_PUNCH_HOLE | CLINUX_FALLOC_KEEP_SIZE) }

    func read(_ descriptor: CInt, _ offset: Int64, _ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try check(pread(descriptor, &bytes, count, Int(offset)))
        bytes.removeLast(count - found)
        return bytes
    }

    func write(_ descriptor: CInt, _ bytes: [UInt8], _ offset: Int64) throws(Failure) {
        try check(pwrite(descriptor, bytes, bytes.count, Int(offset)))
    }

    private func allocate(
        _ slot: Int, _ range: Range<Int64>, _ mode: CInt
    ) throws(Failure) -> ModelResult {
        guard let file = slots[slot] else { return .nothing }
        try check(fallocate(file.descriptor, mode, Int(range.lowerBound), range.count))
        return .done
    }

    /// Not every host can do this in one call.
    private func zero(
        _ slot: Int, _ range: Range<Int64>, keepsSize: Bool
    ) throws(Failure) -> ModelResult {
        guard let file = slots[slot], let status = status(ofSlot: slot) else { return .nothing }
        guard file.isWritable else { throw Failure(number: EBADF) }
        let size = Int64(status.st_size)
        try check(
            fallocate(
                file.descriptor, punchHole, Int(range.lowerBound),
                range.count))
        if !keepsSize, range.upperBound > size {
            try check(ftruncate(file.descriptor, Int(range.upperBound)))
        }
        return .done
    }

    private func change(_ change: ModelChange, descriptor: CInt) throws(Failure) {
        if change.owner != nil || change.group != nil {
            try check(fchown(descriptor, change.owner ?? .max, change.group ?? .max))
        }
        if let mode = change.mode { try check(fchmod(descriptor, mode)) }
        if change.modification != nil || change.access != nil {
            try check(futimens(descriptor, change.times))
        }
    }
}

extension ModelChange {
    /// The two times as `utimensat(2)` takes them.
    var times: [timespec] {
        [access, modification].map {
            $0.map {
                timespec(tv_sec: Int($0.fileTime.seconds), tv_nsec: Int($0.fileTime.nanoseconds))
            } ?? timespec(tv_sec: 0, tv_nsec: Int(CLINUX_UTIME_OMIT))
        }
    }
}
