import DataProtection
import Foundation
import ProtectedDatabase
import TestSupport
import Testing

/// Public reports about databases in backups (docs/reports.md).
@Suite struct `Reports of databases restored in part` {
    /// A volume of notes with their pictures, as an app keeps them.
    private final class Site {
        let folder = try! ScratchFolder()
        let device = try! DeviceKey.inMemory()
        let volume: ProtectedVolume

        init() throws {
            volume = try ProtectedVolume.create(
                at: folder.path(of: "volume"),
                configuration: VolumeConfiguration(
                    passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192)),
                passcode: Passcode("1234"), deviceKey: device)
            try volume.makeFolder("pictures", class: .complete)
            let database = try ProtectedDatabase.open("db", in: volume, class: .complete)
            _ = try database.query("PRAGMA journal_mode = WAL")
            try database.execute("CREATE TABLE notes (picture)")
            for number in 0..<5 {
                try volume.write([UInt8](repeating: UInt8(number), count: 9000), to: path(number))
                try database.execute("INSERT INTO notes VALUES (?)", [.text(path(number))])
            }
            try database.close()
        }

        private var place: String { folder.path(of: "volume") }

        func path(_ number: Int) -> String { "pictures/\(number)" }

        /// A backup that leaves something out, restored and opened.
        func restored(without path: String) throws -> ProtectedVolume {
            let identity = try volume.attributes(of: path).identity
            let backup = folder.path(of: UUID().uuidString)
            try FileManager.default.copyItem(atPath: place, toPath: backup)
            for case let name as String in FileManager.default.enumerator(atPath: place)! {
                let found = try FileManager.default.attributesOfItem(
                    atPath: place + "/" + name)
                guard found[.systemFileNumber] as? UInt64 == identity else { continue }
                try FileManager.default.removeItem(atPath: backup + "/" + name)
            }
            let copy = try ProtectedVolume.open(at: backup, deviceKey: device)
            try copy.unlock(passcode: Passcode("1234"))
            return copy
        }
    }

    /// What an app asks when it opens its database: the files that it refers to and that are gone.
    private static func missing(in volume: ProtectedVolume) throws -> [String] {
        let database = try ProtectedDatabase.open("db", in: volume)
        return try database.query("SELECT picture FROM notes ORDER BY 1").compactMap { row in
            guard case .text(let path) = row[0] else { return nil }
            do {
                _ = try volume.read(path)
                return nil
            } catch let error as ProtectionError where error.code == .missing {
                return path
            }
        }
    }

    @Test("cordova-sqlite-storage#907: half of a set is told file by file, in every lock state")
    func halfOfASet() throws {
        let site = try Site()
        let whole = (0..<5).map(site.path)
        #expect(try Self.missing(in: site.volume) == [])
        let one = try site.restored(without: site.path(3))
        #expect(try Self.missing(in: one) == [site.path(3)])
        let none = try site.restored(without: "pictures")
        #expect(try Self.missing(in: none) == whole)
        // Locked is not missing, and missing is not locked.
        one.lock()
        for number in 0..<5 {
            do {
                _ = try one.read(site.path(number))
                Issue.record("it was read")
            } catch {
                #expect(error.code == (number == 3 ? .missing : .sealed))
            }
        }
        #expect(DatabaseOutcome { _ = try Self.missing(in: one) } == .locked)
        // The files without the database: it is missing, and a new one is made by request only.
        let pictures = try site.restored(without: "db")
        var configuration = ProtectedDatabaseConfiguration()
        configuration.makesMissing = false
        do {
            _ = try ProtectedDatabase.open("db", in: pictures, configuration: configuration)
            Issue.record("it was opened")
        } catch {
            #expect(error.cause?.code == .missing && !error.isLocked)
        }
        #expect(try !pictures.list().map(\.name).contains("db"))
    }

    @Test("cordova-sqlite-storage#907, its log: without it a database is that of the checkpoint")
    func databaseWithoutItsLog() throws {
        let site = try Site()
        let database = try ProtectedDatabase.open("db", in: site.volume)
        try database.execute("INSERT INTO notes VALUES ('pictures/0')")
        let both = try site.restored(without: "pictures")
        #expect(
            try ProtectedDatabase.open("db", in: both).text("SELECT count(*) FROM notes") == "6")
        let copy = try site.restored(without: "db-wal")
        let restored = try ProtectedDatabase.open("db", in: copy)
        #expect(try restored.text("SELECT count(*) FROM notes") == "5")
        #expect(try restored.integrity == "ok")
        // Before a backup, the log is brought into the database: then there is one file.
        #expect(try database.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
        let later = try site.restored(without: "db-wal")
        #expect(
            try ProtectedDatabase.open("db", in: later).text("SELECT count(*) FROM notes") == "6")
    }
}
