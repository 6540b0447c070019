internal import DataProtection
public import Foundation
internal import Synchronization

/// The disk, and what a cable brings of it.
extension SimulatedDevice {
    /// Fills the disk, as other apps do. It stays full over reboots until `freeDisk()`.
    ///
    /// - Parameter byteCount: how much is left, in bytes. A file takes 256 and its content in
    ///   pages of 4096.
    public func fillDisk(leaving byteCount: Int64 = 0) {
        turn.lock()
        defer { turn.unlock() }
        let used: Int64
        switch state.withLock({ $0.power }) {
        case .on(let store, _): used = store.live.usedByteCount
        case .off(let image): used = MemoryStore(image, host.storeOptions).usedByteCount
        case .erased: used = 0
        }
        setByteLimit(used + byteCount)
    }

    /// Gives the disk its own size again.
    public func freeDisk() {
        turn.lock()
        defer { turn.unlock() }
        setByteLimit(nil)
    }

    private func setByteLimit(_ byteLimit: Int64?) {
        host.byteLimit = byteLimit
        if case .on(let store, _) = state.withLock({ $0.power }), let limit = host.byteLimit {
            store.live.setByteLimit(limit)
        }
    }

    /// Makes the next calls to the disk fail, reading ones too, whoever makes them.
    ///
    /// - Parameters:
    ///   - count: how many fail; 0 for none any more.
    ///   - skipped: how many succeed first.
    ///   - errorNumber: with what, as in `errno(3)`; the default is `EIO`.
    public func failNextHostCalls(
        _ count: Int = 1, after skipped: Int = 0, errorNumber: Int32 = 5
    ) {
        host.failCalls(count, after: skipped, errorNumber)
    }

    /// What a copy of the app's container over the cable brings.
    ///
    /// Files that the lock state seals are left out without a word, as on a phone; so are links.
    ///
    /// - Returns: the contents by path, names with `/` between.
    /// - Throws: `closed` while the device is off, `damaged` when a file is.
    public func copyContainer() throws -> [String: Data] {
        let volume = try volume
        var copy: [String: Data] = [:]
        var folders = [""]
        while let folder = folders.popLast() {
            for entry in try volume.list(folder) {
                let path = folder.isEmpty ? entry.name : folder + "/" + entry.name
                if entry.kind == .folder { folders.append(path) }
                if entry.kind == .file { copy[path] = try content(of: path, in: volume) }
            }
        }
        return copy
    }

    /// A file's content; `nil` for a sealed one.
    private func content(
        of path: String, in volume: ProtectedVolume
    ) throws(ProtectionError) -> Data? {
        do {
            return Data(try volume.read(path))
        } catch {
            guard error.code == .sealed else { throw error }
            return nil
        }
    }
}
