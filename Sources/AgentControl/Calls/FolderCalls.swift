internal import Glibc

/// System calls on folders and names, and what the process was given.
package enum FolderCalls {
    /// The names in a folder; none when it cannot be read. See `readdir(3)`.
    static func names(_ path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            names.append(name)
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Owner and mode of a folder; `nil` when there is none. The corresponding C function is
    /// `lstat`.
    static func folder(_ path: String) -> (owner: UInt32, mode: UInt32)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return nil
        }
        return (status.st_uid, status.st_mode & 0o777)
    }

    /// Makes a folder of this user alone. The corresponding C function is `mkdir`.
    static func makeFolder(_ path: String) { _ = unsafe mkdir(path, 0o700) }

    /// Removes a file. The corresponding C function is `unlink`.
    package static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Whether something is mounted at a folder whose server has died. See `opendir(3)`, which the
    /// kernel cannot answer from what it remembers.
    package static func isDeadMount(_ path: String) -> Bool {
        guard let folder = unsafe opendir(path) else { return errno == ENOTCONN }
        unsafe closedir(folder)
        return false
    }

    /// The one name that a file has without links, `.` and `..`. A folder whose server has died
    /// has no name of its own; then that of the folder it is in. See `realpath(3)`.
    package static func realPath(_ path: String) -> String {
        if let found = unsafe realpath(path, nil) {
            defer { unsafe free(found) }
            return unsafe String(cString: found)
        }
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last, last != ".", last != ".." else { return String(path) }
        let parent = path.dropLast(last.count)
        guard let found = unsafe realpath(parent.isEmpty ? "." : String(parent), nil) else {
            return String(path)
        }
        defer { unsafe free(found) }
        let folder = unsafe String(cString: found)
        return folder == "/" ? "/\(last)" : "\(folder)/\(last)"
    }

    /// An environment variable; `nil` when it is not set or empty.
    package static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// The user that this process belongs to.
    package static var user: UInt32 { geteuid() }

    /// The number of this process.
    package static var process: Int32 { getpid() }

    /// Whether a process is there. See `kill(2)`.
    static func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno == EPERM }
}
