import DataProtection
import Glibc

/// A folder of the host, worked on with ordinary system calls: what a volume must behave like.
final class PlainFolder {
    /// The folder.
    let root: String
    private(set) var slots: [OpenFile?] = Array(repeating: nil, count: ModelOperation.slotCount)

    /// A file in a slot.
    struct OpenFile {
        let descriptor: CInt
        let isWritable: Bool
        let isReadable: Bool
    }

    /// An error number of the C library.
    struct Failure: Error {
        let number: Int32
    }

    /// Makes an empty folder in a folder that is empty.
    init(in parent: String) throws {
        root = parent + "/top"
        try check(mkdir(root, 0o755))
        // A link that leads up from the top stays at the top in a volume.
        for name in ModelOperation.names {
            try check(Glibc.symlink("top/" + name, "\(parent)/\(name)"))
        }
    }

    deinit { closeAll() }

    /// Closes every slot.
    func closeAll() {
        for index in slots.indices { close(index) }
    }

    func close(_ slot: Int) {
        if let file = slots[slot] { _ = Glibc.close(file.descriptor) }
        slots[slot] = nil
    }

    func put(_ file: OpenFile, into slot: Int) {
        close(slot)
        slots[slot] = file
    }

    /// The path on the host.
    func host(_ path: String) -> String { path.isEmpty ? root : "\(root)/\(path)" }

    /// Throws the error of a call that returned -1.
    @discardableResult
    func check<Result: SignedInteger>(_ result: Result) throws(Failure) -> Result {
        if result == -1 { throw Failure(number: errno) }
        return result
    }

    /// What `stat(2)` or `lstat(2)` says.
    func status(_ path: String, follows: Bool) throws(Failure) -> stat {
        var status = stat()
        try check(fstatat(AT_FDCWD, host(path), &status, follows ? 0 : AT_SYMLINK_NOFOLLOW))
        return status
    }

    /// What `fstat(2)` says of a slot.
    func status(ofSlot slot: Int) -> stat? {
        guard let file = slots[slot] else { return nil }
        var status = stat()
        return fstat(file.descriptor, &status) == 0 ? status : nil
    }

    /// Does an operation.
    func perform(_ operation: ModelOperation) -> ModelResult {
        do throws(Failure) {
            return try performNames(operation)
        } catch {
            return .failed(error.number)
        }
    }
}

extension stat {
    var format: mode_t { st_mode & S_IFMT }
    var inode: UInt64 { UInt64(st_ino) }

    /// What both sides know.
    func attributes() -> ModelAttributes {
        let kind: ModelAttributes.Kind =
            switch format {
            case S_IFDIR: .folder
            case S_IFLNK: .symlink
            case S_IFIFO: .fifo
            default: .file
            }
        var attributes = ModelAttributes(
            kind: kind, size: Int64(st_size), mode: UInt32(st_mode & 0o7777),
            linkCount: UInt64(st_nlink), owner: st_uid, group: st_gid,
            modification: ModelTime(
                seconds: Int64(st_mtim.tv_sec), nanoseconds: Int64(st_mtim.tv_nsec)),
            access: ModelTime(
                seconds: Int64(st_atim.tv_sec), nanoseconds: Int64(st_atim.tv_nsec)))
        attributes.normalize()
        return attributes
    }
}
