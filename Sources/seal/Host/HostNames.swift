import Glibc

/// System calls on names of the host.
enum HostNames {
    /// What a name stands for, itself; `nil` when there is nothing. The corresponding C function is
    /// `lstat`.
    static func linkStatus(_ path: String) throws(HostFailure) -> HostStatus? {
        try status(path, AT_SYMLINK_NOFOLLOW)
    }

    /// What a name leads to; `nil` when there is nothing. The corresponding C function is `stat`.
    static func status(_ path: String) throws(HostFailure) -> HostStatus? {
        try status(path, 0)
    }

    private static func status(
        _ path: String, _ flags: Int32
    ) throws(HostFailure) -> HostStatus? {
        var status = stat()
        guard unsafe fstatat(AT_FDCWD, path, &status, flags) == 0 else {
            if errno == ENOENT { return nil }
            throw .last(path)
        }
        return HostStatus(status)
    }

    /// A file without a name in a folder, which a crash or a kill takes with it. See `O_TMPFILE` in
    /// `open(2)`.
    ///
    /// - Returns: `nil` where the host has no such files, or they could not get a name.
    static func unnamedFile(in folder: String) throws(HostFailure) -> HostFile? {
        let flag: Int32 = 0o20_000_000 | O_DIRECTORY  // O_TMPFILE, which glibc hides from Swift
        do throws(HostFailure) {
            let file = try HostFile(opening: folder, flags: O_WRONLY | flag, mode: 0o600)
            return try status(descriptorPath(file)) == nil ? nil : file
        } catch {
            let hasNone = [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS].contains(error.code)
            guard hasNone else { throw error }
            return nil
        }
    }

    /// Gives an unnamed file a name. The corresponding C function is `linkat`.
    ///
    /// - Returns: `false` when the name is taken.
    static func link(_ file: HostFile, to path: String) throws(HostFailure) -> Bool {
        let from = descriptorPath(file)
        if unsafe linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return true }
        guard errno == EEXIST else { throw .last(path) }
        return false
    }

    private static func descriptorPath(_ file: HostFile) -> String {
        "/proc/self/fd/\(file.number)"
    }

    /// A path without links, `.` and `..`; `nil` when nothing is there. See `realpath(3)`.
    static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(validatingCString: found)
    }

    /// The corresponding C function is `rename`.
    static func rename(_ path: String, to newPath: String) throws(HostFailure) {
        guard unsafe Glibc.rename(path, newPath) == 0 else { throw .last(newPath) }
    }

    /// The corresponding C function is `unlink`. A failure leaves the file, which is all it can
    /// mean.
    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Removes an empty folder, if that can be done. See `rmdir(2)`.
    static func removeFolder(_ path: String) { _ = unsafe rmdir(path) }
}
