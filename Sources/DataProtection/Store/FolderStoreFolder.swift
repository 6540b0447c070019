internal import CLinux
internal import Glibc

/// A folder of the host, held open.
final class FolderStoreFolder: BackingFolder, FolderStoreEntry {
    let descriptor: HostDescriptor

    /// Takes over an open folder.
    init(_ descriptor: consuming HostDescriptor) {
        self.descriptor = descriptor
    }

    func attributes(of name: String) throws(HostError) -> HostAttributes {
        try HostName.check(name, call: "fstatat")
        return HostAttributes(try HostSystemCalls.status(of: name, in: descriptor))
    }

    func openFile(_ name: String, writable: Bool) throws(HostError) -> any BackingFile {
        try HostName.check(name, call: "openat")
        // O_NONBLOCK: opening a fifo that somebody put there must not wait for its other end.
        let flags = (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try openExisting(name, flags)
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
        HostSystemCalls.leaveNoTrace(file)
        return FolderStoreFile(file)
    }

    func openFolder(_ name: String) throws(HostError) -> any BackingFolder {
        try HostName.check(name, call: "openat")
        return FolderStoreFolder(
            try openExisting(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    }

    func makeFolder(_ name: String, mode: UInt32) throws(HostError) {
        try HostName.check(name, call: "mkdirat")
        try HostSystemCalls.makeFolder(name, in: descriptor, mode: mode)
        try settleMode(mode, of: name, isFolder: true)
    }

    /// Makes a folder under another name than the one that it has at once.
    func makeFolder(_ name: String, asking request: String, mode: UInt32) throws(HostError) {
        try HostName.check(request, call: "mkdirat")
        try HostSystemCalls.makeFolder(request, in: descriptor, mode: mode)
        try settleMode(mode, of: name, isFolder: true)
    }

    func makeNode(
        _ name: String, kind: HostKind, mode: UInt32, device: UInt64
    ) throws(HostError) {
        try HostName.check(name, call: "mknodat")
        guard let type = kind.nodeType else {
            throw HostError(code: HostError.invalidArgument, call: "mknodat")
        }
        let mode = mode & 0o7777
        try HostSystemCalls.makeNode(
            name, in: descriptor, mode: type | mode, device: kind.isDevice ? device : 0)
        try settleMode(mode, of: name, isFolder: false)
    }

    func makeLink(
        of name: String, in folder: any BackingFolder, as newName: String
    ) throws(HostError) {
        try HostName.check(name, call: "linkat")
        try HostName.check(newName, call: "linkat")
        guard let folder = folder as? FolderStoreFolder else {
            throw HostError(code: HostError.crossDevice, call: "linkat")
        }
        try HostSystemCalls.makeLink(
            of: name, in: descriptor, as: newName, in: folder.descriptor)
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

    func setAttributes(_ change: HostAttributeChange, of name: String?) throws(HostError) {
        guard let name else { return try setAttributes(change) }
        try HostName.check(name, call: "utimensat")
        try change.check(call: "utimensat")
        if change.changesOwner {
            try HostSystemCalls.setOwner(
                change.owner, group: change.group, of: name, in: descriptor)
        }
        if let mode = change.mode {
            try HostSystemCalls.setMode(mode & 0o7777, of: name, in: descriptor)
        }
        if change.changesTimes {
            try HostSystemCalls.setTimes(
                access: change.accessTime, modification: change.modificationTime, of: name,
                in: descriptor)
        }
    }

    func sync() throws(HostError) {
        try HostSystemCalls.sync(descriptor, everything: true)
    }
}

/// What several calls share.
extension FolderStoreFolder {
    /// Opens an entry so that reading it leaves no trace where that is allowed: to the owner, and
    /// to whoever may act as one. See: 'man 2 open', O_NOATIME.
    private func openExisting(_ name: String, _ flags: Int32) throws(HostError) -> HostDescriptor {
        do throws(HostError) {
            do throws(HostError) {
                return try HostSystemCalls.open(
                    name, in: descriptor, flags: flags | Int32(CLINUX_O_NOATIME))
            } catch let error {
                guard error.code == HostError.notPermitted else { throw error }
                return try HostSystemCalls.open(name, in: descriptor, flags: flags)
            }
        } catch let error {
            // A socket, or a device without a driver.
            guard error.code == HostError.noSuchDeviceOrAddress else { throw error }
            throw HostError(code: HostError.invalidArgument, call: error.call)
        }
    }

    /// Gives an entry that was just made the bits that the umask took, or the parent added; an
    /// entry that cannot have them does not stay.
    private func settleMode(
        _ mode: UInt32, of name: String, isFolder: Bool
    ) throws(HostError) {
        do {
            if try attributes(of: name).mode == mode { return }
            try HostSystemCalls.setMode(mode, of: name, in: descriptor)
        } catch {
            try? HostSystemCalls.remove(name, in: descriptor, isFolder: isFolder)
            throw error
        }
    }
}
