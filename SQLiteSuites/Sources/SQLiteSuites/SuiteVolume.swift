import CSuiteSQLite
import DataProtection
import Glibc
import ProtectedDatabase
import Synchronization

/// The volume under a test program, chosen by the environment: `SUITE_VOLUME` is not set for the
/// plain layer, `memory`, or a folder.
enum SuiteVolume {
    private struct Place: Sendable {
        var volume: ProtectedVolume?
        var isRegistered = false
    }

    private static let place = Mutex(Place())

    /// What the environment names; `nil` for the plain layer.
    static var wanted: String? { getenv("SUITE_VOLUME").map { String(cString: $0) } }

    /// The volume, made or opened when there is none.
    static func volume() throws -> ProtectedVolume? {
        guard let wanted else { return nil }
        return try place.withLock { place in
            if let volume = place.volume { return volume }
            let volume = try make(wanted)
            place.volume = volume
            return volume
        }
    }

    private static func make(_ wanted: String) throws -> ProtectedVolume {
        if wanted == "memory" {
            return try ProtectedVolume.inMemory(passcode: nil, deviceKey: DeviceKey.inMemory())
        }
        let device = try DeviceKey.loadOrCreate(at: wanted + ".devicekey")
        let volume =
            access(wanted, F_OK) == 0
            ? try ProtectedVolume.open(at: wanted, deviceKey: device)
            : try ProtectedVolume.create(at: wanted, passcode: nil, deviceKey: device)
        return volume
    }

    /// Makes the volume SQLite's default.
    static func register() throws {
        guard let volume = try volume() else { return }
        try SuiteFiles.makeFolder(SuiteFiles.workingFolder, volume)
        let entry = sqlite3_vfs_find(volume.databaseVFSName)
        sqlite3_vfs_register(entry, 1)
    }

    /// Lets another process have the volume.
    static func close() throws {
        try place.withLock { place in
            try place.volume?.close()
            place.volume = nil
        }
    }
}

/// Says what failed, and its number to C.
private func attempt(_ what: String, _ body: () throws -> Int64) -> Int64 {
    do {
        return try body()
    } catch {
        let line = "suite: \(what): \(error)\n"
        write(STDERR_FILENO, line, line.utf8.count)
        return -1
    }
}

/// `suite_layer.c` calls this at the end of SQLite's initialisation.
@_cdecl("suite_start")
public func suiteStart(_: UnsafePointer<CChar>?) -> Int32 {
    attempt("start") {
        try SuiteVolume.register()
        return 0
    } == 0 ? SQLITE_OK : SQLITE_ERROR
}

/// Whether a volume is under the program.
@_cdecl("suite_is_on")
public func suiteIsOn() -> Int32 { SuiteVolume.wanted == nil ? 0 : 1 }

/// Closes the volume, so that another process can have it; `suite_start` opens it again.
@_cdecl("suite_close")
public func suiteClose() -> Int32 {
    Int32(
        attempt("close") {
            try SuiteVolume.close()
            return 0
        })
}
