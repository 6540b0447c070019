import CSQLite
import DataProtection
import Foundation
import Glibc
import ProtectedDatabase
import TestSupport
import Testing

/// What SQLite writes down besides the database: for a large sort, and temporary tables.
@Suite(.serialized) struct `Temporary files of a database` {
    /// Rows that begin with a canary, which no SQL text and no test holds as a whole.
    private static func fill(_ table: String) -> String {
        """
        INSERT INTO \(table) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
        WHERE i < 4000) SELECT replace('c#n#ry-of-temp', '#', 'a') || hex(randomblob(1000)) FROM n
        """
    }

    private static let canary = Array("pmet-fo-yranac".utf8.reversed())

    private static func holdsCanary(_ bytes: Data) -> Bool { bytes.firstRange(of: canary) != nil }

    /// What this process has open, with and without a name: the path, and the content.
    private static func openFiles() -> [(path: String, content: Data)] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.compactMap { number in
            let link = "/proc/self/fd/" + number
            guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
                path.hasPrefix("/"), !path.hasPrefix("/dev"), !path.hasPrefix("/proc")
            else { return nil }
            var status = stat()
            guard stat(link, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return (path, FileManager.default.contents(atPath: link) ?? Data())
        }
    }

    /// A sort that is under way, and a temporary table: both larger than their caches.
    private static func begin(_ run: (String) -> Void, _ prepare: (String) -> Void) {
        run("PRAGMA temp_store = FILE")
        run("PRAGMA cache_size = -100")
        run("PRAGMA main.cache_size = -100")
        run("CREATE TABLE t (a)")
        run(fill("t"))
        run("CREATE TEMP TABLE x (a)")
        run("PRAGMA temp.cache_size = 10")
        run(fill("x"))
        prepare("SELECT a FROM t ORDER BY a DESC, rowid")
    }

    @Test func `are in the volume, without a name, and sealed`() throws {
        let folder = try ScratchFolder()
        let volume = try ProtectedVolume.create(
            at: folder.path(of: "v"),
            configuration: VolumeConfiguration(
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192)),
            passcode: Passcode("1234"), deviceKey: DeviceKey.inMemory())
        let before = Set(Self.openFiles().map(\.path))
        let database = try ProtectedDatabase.open("db", in: volume, class: .complete)
        var statement: ProtectedDatabaseStatement?
        Self.begin(
            { try? database.execute($0) },
            {
                statement = try? database.prepare($0)
                _ = try? statement?.step()
            })
        let opened = Self.openFiles().filter { !before.contains($0.path) }
        // Other tests have files open as well.
        let own = folder.path(of: "v") + "/"
        let nameless = opened.filter {
            $0.path.hasPrefix(own) && $0.path.hasSuffix(" (deleted)")
        }
        #expect(nameless.count >= 2)
        #expect(nameless.map(\.content.count).reduce(0, +) > 8_000_000)
        // The ninth byte of a file is its class (docs/format.md).
        #expect(nameless.allSatisfy { $0.content.count > 8 && $0.content[8] == 1 })
        for file in opened { #expect(!Self.holdsCanary(file.content), "\(file.path)") }
        for case let path as String in FileManager.default.enumerator(atPath: folder.path)! {
            let content = FileManager.default.contents(atPath: folder.path(of: path)) ?? Data()
            #expect(!Self.holdsCanary(content), "\(path)")
        }
        #expect(try volume.list("tmp/TemporaryItems").isEmpty)
        // The sort is of the database's class, too.
        volume.lock()
        #expect(DatabaseOutcome { _ = try statement?.step() } == .locked)
        try volume.unlock(passcode: Passcode("1234"))
        #expect(try database.text("SELECT count(*) FROM t") == "4000")
        statement = nil
        try database.close()
        #expect(
            Self.openFiles().filter {
                $0.path.hasPrefix(own) && $0.path.hasSuffix(" (deleted)")
            }.isEmpty)
    }

    @Test func `are of a class that can be used while a stricter database is sealed`() throws {
        let folder = try ScratchFolder()
        let volume = try ProtectedVolume.create(
            at: folder.path(of: "v"),
            configuration: VolumeConfiguration(
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192)),
            passcode: Passcode("1234"), deviceKey: DeviceKey.inMemory())
        let strict = try ProtectedDatabase.open("strict", in: volume, class: .complete)
        let database = try ProtectedDatabase.open(
            "db", in: volume, class: .completeUntilFirstUserAuthentication)
        volume.lock()
        var statement: ProtectedDatabaseStatement?
        Self.begin({ try? database.execute($0) }, { statement = try? database.prepare($0) })
        #expect(DatabaseOutcome { _ = try statement?.step() } == .done)
        let own = folder.path(of: "v") + "/"
        let nameless = Self.openFiles().filter {
            $0.path.hasPrefix(own) && $0.path.hasSuffix(" (deleted)")
        }
        #expect(nameless.count >= 2)
        #expect(nameless.allSatisfy { $0.content.count > 8 && $0.content[8] == 3 })
        try strict.close()
    }

    /// The control: this is how they are found where nobody takes care of them.
    @Test func `of a plain database are found by the same search`() throws {
        _ = try DatabaseRig().volume.databaseVFSName
        let folder = try ScratchFolder()
        let plain = PlainConnection(folder.path(of: "db"), vfs: nil)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        Self.begin(
            { _ = plain.run($0) },
            {
                sqlite3_prepare_v2(plain.pointer, $0, -1, &statement, nil)
                #expect(sqlite3_step(statement) == SQLITE_ROW)
            })
        let found = Self.openFiles().filter { Self.holdsCanary($0.content) }
        #expect(found.count >= 2, "\(Self.openFiles().map(\.path))")
        #expect(found.contains { $0.path.contains("etilqs") })
    }
}
