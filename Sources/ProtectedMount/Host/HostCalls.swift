internal import CFuse
internal import Glibc

/// The system calls of mounting; each function is one, or a loop over one.
enum HostCalls {
    /// The error number of looking at a path; 0 for a folder, `ENOTDIR` for anything else.
    static func folderError(_ path: String) -> Int32 {
        var status = stat()
        if unsafe stat(path, &status) != 0 { return errno }
        return status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
    }

    /// Whether a path leads to a regular file, and to no link to one.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The error number of opening a folder, which the kernel does not answer from what it
    /// remembers of one whose server has died; 0 when it can be opened.
    static func openingError(_ path: String) -> Int32 {
        guard let folder = unsafe opendir(path) else { return errno }
        unsafe closedir(folder)
        return 0
    }

    /// Whether this process may read and write a file, by error number.
    static func accessError(_ path: String) -> Int32 {
        unsafe access(path, R_OK | W_OK) == 0 ? 0 : errno
    }

    static var isRoot: Bool { geteuid() == 0 }

    /// The names in a folder but `.` and `..`; `nil` when it cannot be read.
    static func names(in path: String) -> [String]? {
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// A path without links; `nil` when there is none.
    static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Where a symbolic link leads; `nil` when that cannot be read.
    static func target(of path: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe readlink(
                path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// The number of a file's inode; `nil` when it cannot be looked at.
    static func inode(behind path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// A small file's bytes; `nil` when it cannot be read.
    static func contents(of path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe part.withUnsafeMutableBytes { buffer in
                unsafe read(file, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += part[..<count]
        }
    }

    /// Takes a mount away. The corresponding C function is `umount2`.
    ///
    /// - Returns: 0 or the error number.
    static func unmount(_ path: String, isForced: Bool) -> Int32 {
        let (detach, noFollow): (Int32, Int32) = (2, 8)
        return unsafe umount2(path, noFollow | (isForced ? detach : 0)) == 0 ? 0 : errno
    }

    /// Runs a program without output, and waits for it.
    ///
    /// - Returns: its exit status; `nil` when it could not be started.
    static func run(_ words: [String]) -> Int32? {
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for number: Int32 in [1, 2] {
            unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
        }
        var process = pid_t()
        guard
            unsafe posix_spawnp(&process, words[0], &actions, nil, arguments, environ) == 0
        else { return nil }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            if errno != EINTR { return nil }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128
    }

    /// Lets this process have as many descriptors as it is allowed to.
    ///
    /// - Returns: how many that are.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            _ = unsafe setrlimit(__rlimit_resource_t(7), &limit)
            _ = unsafe getrlimit(__rlimit_resource_t(7), &limit)
        }
        return Int(min(limit.rlim_cur, 1 << 30))
    }
}
