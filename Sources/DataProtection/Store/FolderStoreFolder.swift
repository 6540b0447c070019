internal import Glibc

/// A folder of the host, held open.
final class FolderStoreFolder: BackingFolder {
    /// The open folder, for the store that owns its top.
    let descriptor: HostDescriptor

    /// Takes over an open folder.
    init(_ descriptor: consuming HostDescriptor) {
        self.descriptor = descriptor
    }

    func attributes() throws(HostError) -> HostAttributes {
        HostAttributes(try HostSystemCalls.status(of: descriptor))
    }

    func attributes(of name: String) throws(HostError) -> HostAttributes {
        try HostName.check(name, call: "fstatat")
        return HostAttributes(try HostSystemCalls.status(of: name, in: descriptor))
    }

    func openFile(_ name: String, writable: Bool) throws(HostError) -> any BackingFile {
        try HostName.check(name, call: "openat")
        // O_NONBLOCK: opening a fifo that somebody put there must not wait for its other end.
        let flags = (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try HostSystemCalls.open(name, in: descriptor, flags: flags)
        switch HostAttributes(try HostSystemCalls.status(of: file)).kind {
        case .regular: return FolderStoreFile(file)
        case .folder: throw HostError(code: HostError.isFolder, call: "openat")
        default: throw HostError(code: HostError.invalidArgument, call: "openat")
        }
    }

    func createFile(_ name: String, mode: UInt32) throws(HostError) -> any BackingFile {
        try HostName.check(name, call: "openat")
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try HostSystemCalls.open(name, in: descriptor, flags: flags, mode: mode)
        do {
            // Asking is cheaper than setting, and most processes' umask leaves our bits alone.
            if HostAttributes(try HostSystemCalls.status(of: file)).mode != mode {
                try HostSystemCalls.setMode(mode, of: file)
            }
        } catch {
            try? HostSystemCalls.remove(name, in: descriptor, isFolder: false)
            throw error
        }
        return FolderStoreFile(file)
    }

    func openFolder(_ name: String) throws(HostError) -> any BackingFolder {
        try HostName.check(name, call: "openat")
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        return FolderStoreFolder(try HostSystemCalls.open(name, in: descriptor, flags: flags))
    }

    func makeFolder(_ name: String, mode: UInt32) throws(HostError) {
        try HostName.check(name, call: "mkdirat")
        try HostSystemCalls.makeFolder(name, in: descriptor, mode: mode)
        do {
            if try attributes(of: name).mode != mode { try setMode(mode, of: name) }
        } catch {
            try? HostSystemCalls.remove(name, in: descriptor, isFolder: true)
            throw error
        }
    }

    func makeSymlink(_ name: String, target: String) throws(HostError) {
        try HostName.check(name, call: "symlinkat")
        try HostName.check(target: target, call: "symlinkat")
        try HostSystemCalls.makeSymlink(name, in: descriptor, target: target)
    }

    func readSymlink(_ name: String) throws(HostError) -> String {
        try HostName.check(name, call: "readlinkat")
        return String(
            decoding: try HostSystemCalls.readSymlink(name, in: descriptor), as: UTF8.self)
    }

    func removeFile(_ name: String) throws(HostError) {
        try HostName.check(name, call: "unlinkat")
        try HostSystemCalls.remove(name, in: descriptor, isFolder: false)
    }

    func removeFolder(_ name: String) throws(HostError) {
        try HostName.check(name, call: "unlinkat")
        try HostSystemCalls.remove(name, in: descriptor, isFolder: true)
    }

    func rename(
        _ name: String, to folder: any BackingFolder, as newName: String, rule: HostRenameRule
    ) throws(HostError) {
        try HostName.check(name, call: "renameat2")
        try HostName.check(newName, call: "renameat2")
        guard let folder = folder as? FolderStoreFolder else {
            throw HostError(code: HostError.crossDevice, call: "renameat2")
        }
        try HostSystemCalls.rename(
            name, in: descriptor, to: newName, in: folder.descriptor, rule: rule)
    }

    func setMode(_ mode: UInt32, of name: String) throws(HostError) {
        try HostName.check(name, call: "fchmodat")
        try HostSystemCalls.setMode(mode, of: name, in: descriptor)
    }

    func sync() throws(HostError) {
        try HostSystemCalls.sync(descriptor, everything: true)
    }
}
