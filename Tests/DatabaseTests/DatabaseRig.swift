import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import SimulatedDevice
import TestSupport
import Testing

/// A volume with databases on a table: its disk and lock in the test's hands.
final class DatabaseRig {
    static let passcode = "1234"

    let store: any BackingStore
    let device: DeviceKey
    private(set) var volume: ProtectedVolume

    init(
        store: (any BackingStore)? = nil, options: MemoryStore.Options = .init(),
        rules: RuleSet = .safer,
        defaultClass: ProtectionClass = .completeUntilFirstUserAuthentication
    ) throws {
        self.store = store ?? MemoryStore(options)
        device = try DeviceKey.inMemory()
        volume = try ProtectedVolume.create(
            in: self.store,
            configuration: VolumeConfiguration(
                defaultClass: defaultClass,
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192),
                ruleSet: rules),
            passcode: Passcode(Self.passcode), deviceKey: device)
    }

    func unlock() throws { try volume.unlock(passcode: Passcode(Self.passcode)) }

    /// Closes and opens the volume: before the first unlock.
    func reboot() throws {
        try volume.close()
        volume = try ProtectedVolume.open(store, deviceKey: device)
    }

    /// Opens what another disk holds.
    func open(on store: any BackingStore) throws -> ProtectedVolume {
        let volume = try ProtectedVolume.open(store, deviceKey: device)
        try volume.unlock(passcode: Passcode(Self.passcode))
        return volume
    }

    func database(
        _ path: String = "db", class protectionClass: ProtectionClass? = .complete,
        _ mode: ProtectedDatabaseConfiguration.JournalMode? = nil
    ) throws -> ProtectedDatabase {
        var configuration = ProtectedDatabaseConfiguration(protectionClass: protectionClass)
        configuration.journalMode = mode
        configuration.busyTimeout = .milliseconds(200)
        return try ProtectedDatabase.open(path, in: volume, configuration: configuration)
    }
}

extension ProtectedDatabase {
    /// The first value of the first row, as text.
    func text(_ sql: String) throws -> String {
        switch try query(sql).first?.first {
        case .text(let text): text
        case .integer(let number): String(number)
        case .some(let other): "\(other)"
        case .none: ""
        }
    }

    /// SQLite's own check of everything that a database holds.
    var integrity: String { get throws { try text("PRAGMA integrity_check") } }
}

/// What a call on a database did.
enum DatabaseOutcome: Hashable, CustomStringConvertible {
    case done
    case failed(ProtectedDatabaseError.Kind)
    case other(String)

    init(_ call: () throws -> Void) {
        do {
            try call()
            self = .done
        } catch let error as ProtectedDatabaseError {
            // What any catch clause sees is the same.
            let isConsistent = (error as any Error).isLocked == error.isLocked
            self = isConsistent ? .failed(error.kind) : .other("\(error)")
        } catch {
            self = .other("\(error)")
        }
    }

    static let locked = DatabaseOutcome.failed(.locked)

    var description: String {
        switch self {
        case .done: "done"
        case .failed(let kind): kind.rawValue
        case .other(let text): text
        }
    }
}

/// A connection of SQLite's C interface, as another library makes it.
final class PlainConnection {
    private(set) var pointer: OpaquePointer?
    let openCode: Int32

    init(
        _ path: String, vfs: String?,
        flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
    ) {
        openCode = sqlite3_open_v2(path, &pointer, flags, vfs)
        sqlite3_extended_result_codes(pointer, 1)
    }

    deinit { close() }

    @discardableResult
    func close() -> Int32 {
        let code = sqlite3_close(pointer)
        if code == SQLITE_OK { pointer = nil }
        return code
    }

    @discardableResult
    func run(_ sql: String) -> Int32 {
        let code = sqlite3_exec(pointer, sql, nil, nil, nil)
        return code == SQLITE_OK ? code : sqlite3_extended_errcode(pointer)
    }

    /// The volume's error number, as SQLite passes it on.
    var systemError: Int32 { sqlite3_system_errno(pointer) }

    /// The first column of the first row; `nil` for an error.
    func value(_ sql: String) -> String? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_finalize(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else { return code == SQLITE_DONE ? "" : nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL"
    }
}
