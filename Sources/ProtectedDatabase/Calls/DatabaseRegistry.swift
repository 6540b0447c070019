internal import CSQLite
internal import DataProtection
internal import Synchronization

/// The volumes that SQLite knows, each under a name of its own.
enum DatabaseRegistry {
    private struct Table: Sendable {
        var entries: [ObjectIdentifier: DatabaseVFS] = [:]
        var count = 0
    }

    private static let table = Mutex(Table())

    /// The VFS of a volume, made when there is none.
    static func vfs(of volume: ProtectedVolume) -> DatabaseVFS {
        let (vfs, isNew) = table.withLock { table in
            let key = ObjectIdentifier(volume)
            if let known = table.entries[key], known.reference === volume { return (known, false) }
            table.count += 1
            let vfs = DatabaseVFS(volume, name: "seal-\(volume.identifier)-\(table.count)")
            table.entries[key] = vfs
            register(vfs)
            return (vfs, true)
        }
        if isNew { vfs.watch(volume) }
        return vfs
    }

    /// Gives a name back.
    static func unregister(_ vfs: DatabaseVFS) {
        table.withLock { table in table.entries = table.entries.filter { $0.value !== vfs } }
        guard let found = unsafe sqlite3_vfs_find(vfs.name) else { return }
        _ = unsafe sqlite3_vfs_unregister(found)
    }

    /// Randomness, sleep and time are those of SQLite's own layer; what has to do with files is
    /// the volume's.
    private static func register(_ vfs: DatabaseVFS) {
        FreedMemory.wipe()
        guard let original = unsafe sqlite3_vfs_find(nil) else { return }
        let entry = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe entry.initialize(to: original.pointee)
        unsafe entry.pointee.iVersion = 2
        unsafe entry.pointee.szOsFile = Int32(MemoryLayout<csqlite_file>.size)
        unsafe entry.pointee.mxPathname = VFSCalls.pathByteCountMaximum
        unsafe entry.pointee.pNext = nil
        unsafe entry.pointee.zName = UnsafePointer(copy(vfs.name))
        unsafe entry.pointee.pAppData = Unmanaged.passRetained(vfs).toOpaque()
        unsafe VFSCalls.install(on: entry)
        _ = unsafe sqlite3_vfs_register(entry, 0)
    }

    private static func copy(_ name: String) -> UnsafeMutablePointer<CChar> {
        let bytes = name.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { unsafe copy[index] = byte }
        return unsafe copy
    }
}
