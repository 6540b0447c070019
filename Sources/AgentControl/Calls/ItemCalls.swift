internal import Glibc

/// System calls on files and folders of a mounted volume; each function is one, or a loop over
/// one. They answer with 0, or with the error number.
enum ItemCalls {
    /// The names in a folder but `.` and `..`. See `readdir(3)`.
    static func names(in path: String) -> (names: [String], code: Int32) {
        guard let folder = unsafe opendir(path) else { return ([], errno) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return (names, 0)
    }

    /// Opens a file.
    ///
    /// - Returns: the descriptor, or the error number below zero.
    static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) -> Int32 {
        let file = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        return file >= 0 ? file : -errno
    }
}
