import CSQLite
import DataProtection
import Foundation
import Glibc
import ProtectedDatabase
import TestSupport
import Testing

/// What is no database, or not the one that was written.
@Suite struct `A database that is not what was written` {
    private static let cost = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)

    /// A volume in a host folder with two tables of many pages.
    private final class Site {
        let folder: ScratchFolder
        let device: DeviceKey
        private(set) var volume: ProtectedVolume

        init() throws {
            folder = try ScratchFolder()
            device = try DeviceKey.inMemory()
            volume = try ProtectedVolume.create(
                at: folder.path, configuration: VolumeConfiguration(passcodeCost: cost),
                passcode: Passcode("1234"), deviceKey: device)
            let database = try ProtectedDatabase.open("db", in: volume, class: .complete)
            for table in ["first", "second"] {
                try database.execute("CREATE TABLE \(table) (a)")
                for _ in 0..<60 {
                    try database.execute("INSERT INTO \(table) VALUES (hex(randomblob(900)))")
                }
            }
            try database.close()
        }

        /// The host file of a file.
        func hostPath(of path: String) throws -> String {
            let identity = try volume.attributes(of: path).identity
            for case let name as String in FileManager.default.enumerator(atPath: folder.path)! {
                let full = folder.path(of: name)
                let found = try FileManager.default.attributesOfItem(atPath: full)
                if (found[.systemFileNumber] as? UInt64) == identity { return full }
            }
            throw CocoaError(.fileNoSuchFile)
        }

        /// Closes, lets something happen to the host's bytes, opens and unlocks.
        func change(_ path: String, _ change: (inout Data) -> Void) throws {
            let host = try hostPath(of: path)
            try volume.close()
            var bytes = try Data(contentsOf: URL(fileURLWithPath: host))
            change(&bytes)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: host))
            try handle.truncate(atOffset: UInt64(bytes.count))
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
            volume = try ProtectedVolume.open(at: folder.path, deviceKey: device)
            try volume.unlock(passcode: Passcode("1234"))
        }
    }

    private static func error(_ call: () throws -> Void) -> ProtectedDatabaseError? {
        do {
            try call()
            return nil
        } catch {
            return error as? ProtectedDatabaseError
        }
    }

    @Test func `one flipped byte is damage on a page with a number, and the rest can be read`()
        throws
    {
        let site = try Site()
        // In the pages of the first table, which were written first.
        try site.change("db") { $0[5 * 4096 + 2000] ^= 1 }
        let database = try ProtectedDatabase.open("db", in: site.volume)
        let error = try #require(
            Self.error { _ = try database.query("SELECT count(a) FROM first") })
        #expect(error.kind == .damaged && !error.isLocked)
        #expect(error.code == 8202)
        #expect(error.cause?.code == .damaged)
        #expect("\(error)".contains("page 5"), "\(error)")
        #expect(try database.text("SELECT count(a) FROM second") == "60")
        // Rows of the damaged table, too, as far as they lie elsewhere.
        var readable = 0
        for row in 1...60 {
            let found = try? database.query("SELECT a FROM first WHERE rowid = \(row)")
            readable += found?.count ?? 0
        }
        #expect(readable > 40, "\(readable)")
    }

    @Test func `a cut is damage`() throws {
        let site = try Site()
        try site.change("db") { $0.removeLast(3 * 4096) }
        let error = Self.error {
            let database = try ProtectedDatabase.open("db", in: site.volume)
            _ = try database.query("SELECT count(a) FROM second")
        }
        #expect(error?.kind == .damaged, "\(error.map { "\($0)" } ?? "none")")
    }

    @Test func `another volume's file is damage, and so is a plain one on the host`() throws {
        let (site, other) = (try Site(), try Site())
        let foreign = try Data(contentsOf: URL(fileURLWithPath: other.hostPath(of: "db")))
        try site.change("db") { $0 = foreign }
        let error = Self.error { _ = try ProtectedDatabase.open("db", in: site.volume) }
        #expect(error?.kind == .damaged || error?.cause?.code == .damaged, "\(error as Any)")
        #expect(error?.isLocked == false)

        let plain = PlainConnection(site.folder.path + "-plain", vfs: nil)
        defer { try? FileManager.default.removeItem(atPath: site.folder.path + "-plain") }
        #expect(plain.run("CREATE TABLE t (a); INSERT INTO t VALUES (7)") == SQLITE_OK)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: site.folder.path + "-plain"))
        try site.change("db") { $0 = bytes }
        let second = Self.error { _ = try ProtectedDatabase.open("db", in: site.volume) }
        #expect(second?.cause?.code == .damaged, "\(second as Any)")
        // Written into the volume it is a database like any other.
        try site.volume.write([UInt8](bytes), to: "imported", class: .complete)
        let imported = try ProtectedDatabase.open("imported", in: site.volume)
        #expect(try imported.text("SELECT a FROM t") == "7")
    }

    @Test func `bytes that are none are no database, and not locked`() throws {
        let rig = try DatabaseRig()
        try rig.volume.write([UInt8](repeating: 7, count: 9000), to: "db", class: .complete)
        let error = Self.error { _ = try rig.database() }
        #expect(error?.kind == .damaged && error?.code == SQLITE_NOTADB && error?.cause == nil)
        rig.volume.lock()
        #expect(DatabaseOutcome { _ = try rig.database() } == .locked)
        #expect(DatabaseOutcome { _ = try rig.database("none") } == .locked)
        #expect(try rig.volume.list().map(\.name) == ["db"])
    }

    @Test func `a log of another class gets the database's`() throws {
        let rig = try DatabaseRig()
        let database = try rig.database(
            class: .completeUntilFirstUserAuthentication, .wal)
        try database.execute("CREATE TABLE t (a)")
        rig.volume.lock()
        try database.execute("INSERT INTO t VALUES (1)")
        try rig.unlock()
        // As it happens to a program that sets the class of one file alone.
        let saved = try rig.volume.read("db-wal")
        let copy = try rig.volume.read("db")
        try database.close()
        try rig.volume.write(copy, to: "db")
        try rig.volume.write(saved, to: "db-wal", class: .complete)
        rig.volume.lock()
        #expect(DatabaseOutcome { _ = try rig.database(class: nil) } == .locked)
        try rig.unlock()
        let again = try rig.database(class: nil)
        #expect(try again.text("SELECT count(*) FROM t") == "1")
        #expect(
            try rig.volume.protectionClass(of: "db-wal")
                == .completeUntilFirstUserAuthentication)
        rig.volume.lock()
        #expect(try again.text("SELECT count(*) FROM t") == "1")
    }

    @Test(arguments: ProtectedDatabaseConfiguration.JournalMode.allCases)
    func `a full disk is called that and damages nothing`(
        _ mode: ProtectedDatabaseConfiguration.JournalMode
    ) throws {
        var options = MemoryStore.Options()
        options.byteLimit = 50_000_000
        let rig = try DatabaseRig(options: options)
        let store = try #require(rig.store as? MemoryStore)
        let database = try rig.database(class: .complete, mode)
        try database.execute("PRAGMA wal_autocheckpoint = 0")
        try database.execute("CREATE TABLE t (a)")
        for _ in 0..<20 { try database.execute("INSERT INTO t VALUES (randomblob(20000))") }
        store.setByteLimit(store.usedByteCount + 30_000)
        var kept = 20
        var outcome = DatabaseOutcome.done
        while outcome == .done, kept < 100 {
            outcome = DatabaseOutcome {
                try database.execute("INSERT INTO t VALUES (randomblob(20000))")
            }
            if outcome == .done { kept += 1 }
        }
        #expect(outcome == .failed(.full))
        #expect(try database.text("SELECT count(*) FROM t") == "\(kept)")
        if mode == .wal {
            #expect(
                DatabaseOutcome { _ = try database.query("PRAGMA wal_checkpoint(TRUNCATE)") }
                    == .failed(.full))
            #expect(try database.text("SELECT count(*) FROM t") == "\(kept)")
        }
        store.setByteLimit(50_000_000)
        try database.execute("INSERT INTO t VALUES (1)")
        _ = try database.query("PRAGMA wal_checkpoint(TRUNCATE)")
        try database.close()
        let again = try rig.database()
        #expect(try again.text("SELECT count(*) FROM t") == "\(kept + 1)")
        #expect(try again.integrity == "ok")
    }
}
