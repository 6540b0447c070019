internal import Glibc
internal import Synchronization

/// A backing store in a folder of the host.
///
/// Every call is relative to a folder held open, and none follows a symbolic link below the top, so
/// that nobody who can write to the folder can lead the store out of it.
package final class FolderStore: BackingStore {
    private let top: FolderStoreFolder
    /// The lock file, open and locked, while this store owns the volume.
    private let lockFile = Mutex<FolderStoreFile?>(nil)

    package var root: any BackingFolder { top }

    /// Opens an existing folder as a store.
    ///
    /// - Parameter path: a path of the host; links in it are followed.
    /// - Throws: `ENOENT`, `ENOTDIR`, `EACCES`, as `open(2)`.
    package init(path: String) throws(HostError) {
        guard !path.utf8.contains(0) else {
            throw HostError(code: HostError.invalidArgument, call: "open")
        }
        top = FolderStoreFolder(
            try HostSystemCalls.open(path: path, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    /// Locks the store's `.lock` file, and writes this process's number into it.
    package func acquireOwnership() throws(HostError) {
        // Each call opens a description of its own, so a second one fails through this store too.
        let file: HostDescriptor
        do throws(HostError) {
            file = try HostSystemCalls.open(
                ReservedName.lock, in: top.descriptor,
                flags: O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        } catch  where error.code == HostError.readOnly {
            // Somebody may write through another mount, so the lock that is there is taken; if
            // there is none, there is nobody to keep out.
            guard
                let held = try? HostSystemCalls.open(
                    ReservedName.lock, in: top.descriptor,
                    flags: O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            else { return }
            try HostSystemCalls.lock(held)
            let owned = FolderStoreFile(held)
            lockFile.withLock { $0 = owned }
            return
        }
        try HostSystemCalls.lock(file)
        let owned = FolderStoreFile(file)
        // Only a courtesy: a full disk must not keep a volume closed.
        try? owned.truncate(to: 0)
        try? owned.write(Array("\(HostSystemCalls.processNumber())\n".utf8).span, at: 0)
        lockFile.withLock { $0 = owned }
    }

    /// Waits for a lock that is a file in the top folder, and takes it.
    func waitForLock(_ name: String) throws(HostError) -> FolderStoreFile {
        let file = try HostSystemCalls.open(
            name, in: top.descriptor,
            flags: O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        try HostSystemCalls.waitForLock(file)
        return FolderStoreFile(file)
    }

    package func releaseOwnership() {
        lockFile.withLock { file in
            // Closing would not do: a process that is being started shares the open file until it
            // runs its own program, and the lock with it.
            file?.unlock()
            file = nil
        }
    }

    /// The process that took the store last, as its number: the owner, while the store is owned.
    ///
    /// Meant for the sentence that follows `EWOULDBLOCK`. It proves nothing: the number stays
    /// behind when the owner goes, and another process may have it by then.
    ///
    /// - Returns: `nil` when nobody ever owned the store, or the file holds something else.
    package func ownerProcess() throws(HostError) -> Int32? {
        do {
            let file = try top.openFile(ReservedName.lock, writable: false)
            var bytes = [UInt8](repeating: 0, count: 16)
            var span = bytes.mutableSpan
            let count = try file.read(into: &span, at: 0)
            let text = String(decoding: bytes.prefix(count), as: UTF8.self)
            return Int32(text.prefix { $0 != "\n" })
        } catch let error where error.code == HostError.noSuchEntry {
            return nil
        }
    }

    package func syncAll() throws(HostError) {
        try HostSystemCalls.syncFileSystem(of: top.descriptor)
    }

    package func capabilities() throws(HostError) -> HostCapabilities {
        HostCapabilities(
            blockByteCount: try HostSystemCalls.blockByteCount(of: top.descriptor),
            hasAttributes: try hasAttributes())
    }

    package func space() throws(HostError) -> HostSpace {
        try HostSystemCalls.space(of: top.descriptor)
    }

    /// Asks for an attribute nobody sets: a host without attributes answers differently.
    private func hasAttributes() throws(HostError) -> Bool {
        do {
            _ = try HostSystemCalls.userAttribute("user.seal.probe", of: top.descriptor)
            return true
        } catch {
            switch error.code {
            case HostError.noSuchAttribute: return true
            case HostError.notSupported: return false
            default: throw error
            }
        }
    }
}
