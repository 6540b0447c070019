import CLinux
import DataProtection
import Glibc

// Names, whole files and attributes.

extension PlainFolder {
    func performNames(_ operation: ModelOperation) throws(Failure) -> ModelResult {
        switch operation {
        case .open(let slot, let path, let opening): return try open(slot, path, opening)
        case .readWhole(let path): return try readWhole(path)
        case .writeWhole(let path, let bytes, _, let mode, let exclusive):
            return try writeWhole(path, bytes.bytes, mode, exclusive: exclusive)
        case .link(let path, let newPath):
            try check(Glibc.link(host(path), host(newPath)))
        case .symlink(let path, let target):
            try check(Glibc.symlink(target.hasPrefix("/") ? root + target : target, host(path)))
        case .readlink(let path): return .text(try linkTarget(path))
        case .makeFifo(let path, let mode):
            try check(mkfifo(host(path), 0o600))
            try check(chmod(host(path), mode))
        case .remove(let path): try check(unlink(host(path)))
        case .rename(let path, let newPath, let rule):
            let flags: CUnsignedInt =
                switch rule {
                case .replace: 0
                case .exclusive: CUnsignedInt(CLINUX_RENAME_NOREPLACE)
                case .exchange: CUnsignedInt(CLINUX_RENAME_EXCHANGE)
                }
            try check(renameat2(AT_FDCWD, host(path), AT_FDCWD, host(newPath), flags))
        case .makeFolder(let path, _, let mode):
            try check(mkdir(host(path), 0o700))
            try check(chmod(host(path), mode))
        case .removeFolder(let path): try check(rmdir(host(path)))
        case .list(let path): return .names(try list(path))
        case .attributes(let path, let follows):
            var found = try status(path, follows: follows).attributes()
            if found.kind == .symlink { found.size = Int64(try linkTarget(path).utf8.count) }
            return .attributes(found)
        case .setAttributes(let path, let change, let follows):
            try self.change(path, change, follows: follows)
        case .setClass(let path, let asked):
            let format = try status(path, follows: true).format
            guard format == S_IFDIR || format == S_IFREG && asked != nil else {
                throw Failure(number: EINVAL)
            }
        case .synchronizeFolder(let path):
            // A volume makes names durable whatever the folder's mode is.
            if try status(path, follows: true).format == S_IFDIR, access(host(path), R_OK) != 0 {
                return .done
            }
            let descriptor = try check(Glibc.open(host(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
            defer { Glibc.close(descriptor) }
            try check(fsync(descriptor))
        case .setUserAttribute, .userAttribute, .removeUserAttribute, .userAttributeNames:
            return try performOnAttributes(operation)
        default: return try performOnSlot(operation)
        }
        return .done
    }

    func linkTarget(_ path: String) throws(Failure) -> String {
        var bytes = [UInt8](repeating: 0, count: 5000)
        let count = bytes.withUnsafeMutableBytes {
            Glibc.readlink(
                host(path), $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        try check(count)
        let target = String(decoding: bytes[..<count], as: UTF8.self)
        return target.hasPrefix(root) ? String(target.dropFirst(root.count)) : target
    }

    func list(_ path: String) throws(Failure) -> [String] {
        let descriptor = try check(
            Glibc.open(host(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC | CInt(CLINUX_O_NOATIME)))
        guard let folder = fdopendir(descriptor) else { throw Failure(number: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func change(
        _ path: String, _ change: ModelChange, follows: Bool
    ) throws(Failure) {
        let flags = follows ? 0 : AT_SYMLINK_NOFOLLOW
        _ = try status(path, follows: follows)
        if change.owner != nil || change.group != nil {
            try check(
                fchownat(AT_FDCWD, host(path), change.owner ?? .max, change.group ?? .max, flags))
        }
        if change.modification != nil || change.access != nil {
            try check(utimensat(AT_FDCWD, host(path), change.times, flags))
        }
        // Last of all: it may close the way there.
        if let mode = change.mode { try check(fchmodat(AT_FDCWD, host(path), mode, 0)) }
    }

    private func readWhole(_ path: String) throws(Failure) -> ModelResult {
        let descriptor = try openRegular(
            path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | CInt(CLINUX_O_NOATIME))
        defer { Glibc.close(descriptor) }
        var found = stat()
        fstat(descriptor, &found)
        return .bytes(try read(descriptor, 0, Int(found.st_size)))
    }

    /// Writes a new file beside the old one, with what it keeps of it, and renames it.
    private func writeWhole(
        _ path: String, _ bytes: [UInt8], _ mode: UInt32?, exclusive: Bool
    ) throws(Failure) -> ModelResult {
        // A link is a name that is not free.
        if exclusive, (try? status(path, follows: false)) != nil { throw Failure(number: EEXIST) }
        let target = try finalPath(path)
        let old = try? status(target, follows: false)
        if old?.format == S_IFDIR { throw Failure(number: EISDIR) }
        let folder = target.split(separator: "/").dropLast().joined(separator: "/")
        let temporary = host((folder.isEmpty ? "" : folder + "/") + ".temporary")
        let descriptor = try check(
            Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        defer { Glibc.close(descriptor) }
        try write(descriptor, bytes, 0)
        let isFile = old?.format == S_IFREG
        if isFile { copyAttributes(from: target, to: descriptor) }
        // Another user's bits do not make the new file act as this one.
        let kept =
            isFile
            ? old.map { UInt32($0.st_mode & ($0.st_uid == getuid() ? 0o7777 : 0o1777)) } : nil
        try check(fchmod(descriptor, mode ?? kept ?? 0o600))
        try check(Glibc.rename(temporary, host(target)))
        return .done
    }

    /// Follows links at the end of a path.
    func finalPath(_ path: String) throws(Failure) -> String {
        var path = path
        for _ in 0..<41 {
            // The text grows as links are followed one by one; the kernel keeps no text.
            guard path.utf8.count < 3500 else { throw Failure(number: ELOOP) }
            let found: stat
            do throws(Failure) {
                found = try status(path, follows: false)
            } catch {
                // The name may be free; its folder must be there and can be searched.
                guard error.number == ENOENT else { throw error }
                let folder = path.split(separator: "/").dropLast().joined(separator: "/")
                _ = try status(folder, follows: true)
                return path
            }
            guard found.format == S_IFLNK else { return path }
            let target = try linkTarget(path)
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            path = target.hasPrefix("/") ? String(target.dropFirst()) : folder + "/" + target
        }
        throw Failure(number: ELOOP)
    }
}
