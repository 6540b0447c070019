import DataProtection
import Foundation
import Glibc
import ProtectedDatabase
import TestSupport
import Testing

/// Finds a text in this process's own memory. It holds the text only backwards, and reads into a
/// place that it leaves out.
private struct OwnMemory {
    private static let bufferByteCount = 1 << 20
    private let backwards: [UInt8]
    private let buffer = UnsafeMutableRawPointer.allocate(
        byteCount: OwnMemory.bufferByteCount, alignment: 4096)

    init(backwards text: String) { backwards = Array(text.utf8) }

    /// How often the text is in writable memory.
    func count() throws -> Int {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let descriptor = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.EACCES) }
        defer { close(descriptor) }
        var found = 0
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let range = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), range.count == 2 else { continue }
            found += count(descriptor, range[0]..<range[1])
        }
        return found
    }

    private func count(_ descriptor: Int32, _ range: Range<UInt64>) -> Int {
        let own = UInt64(UInt(bitPattern: buffer))
        var found = 0
        var start = range.lowerBound
        while start < range.upperBound {
            let wanted = min(UInt64(Self.bufferByteCount), range.upperBound - start)
            let read = pread(descriptor, buffer, Int(wanted), off_t(start))
            guard read > backwards.count else {
                // Another test has given this page back meanwhile; what is behind it counts.
                start += 4096
                continue
            }
            found += matches(read) { at in
                let address = start + UInt64(at)
                return address >= own && address < own + UInt64(Self.bufferByteCount)
            }
            start += UInt64(read) == wanted ? wanted - UInt64(backwards.count) + 1 : wanted
            if wanted < UInt64(Self.bufferByteCount) { break }
        }
        memset(buffer, 0, Self.bufferByteCount)
        return found
    }

    private func matches(_ byteCount: Int, _ isOwn: (Int) -> Bool) -> Int {
        let bytes = buffer.assumingMemoryBound(to: UInt8.self)
        let first = backwards[backwards.count - 1]
        var found = 0
        var index = 0
        while let hit = memchr(bytes + index, Int32(first), byteCount - index) {
            let at = hit - UnsafeMutableRawPointer(bytes)
            index = at + 1
            guard at + backwards.count <= byteCount else { break }
            let isMatch = backwards.indices.allSatisfy {
                bytes[at + $0] == backwards[backwards.count - 1 - $0]
            }
            if isMatch, !isOwn(at) { found += 1 }
            if index >= byteCount { break }
        }
        return found
    }
}

@Suite(.serialized) struct `A database's pages in memory` {
    /// With room for a few pages in SQLite, most of them are in the log's frames that wait for the
    /// commit.
    @Test func `are gone after the lock where they wait to be written to the log`() throws {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, .wal)
        try database.execute("CREATE TABLE t (a)")
        try database.execute("PRAGMA cache_size = 10")
        try database.execute("BEGIN")
        try database.execute(
            """
            INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
            WHERE i < 210) SELECT hex(randomblob(200)) || replace('c#n#ry-held', '#', 'a') FROM n
            """)
        let search = OwnMemory(backwards: "dleh-yranac")
        let writing = try search.count()
        rig.volume.lock()
        let locked = try search.count()
        print("pages in memory, held: \(writing) in a transaction, \(locked) locked")
        #expect(writing >= 150)
        #expect(locked <= 1)
        try rig.unlock()
        #expect(DatabaseOutcome { try database.execute("COMMIT") } == .locked)
        #expect(try database.text("SELECT count(*) FROM t") == "0")
        try database.close()
        #expect(try search.count() == 0)
    }

    @Test(arguments: ProtectedDatabaseConfiguration.JournalMode.allCases)
    func `are gone after the lock`(_ mode: ProtectedDatabaseConfiguration.JournalMode) throws {
        let rig = try DatabaseRig()
        let database = try rig.database(class: .complete, mode)
        #expect(ProtectedDatabase.wipesFreedMemory)
        try database.execute("CREATE TABLE t (a)")
        // The text is put together by SQLite, so that it is in no statement.
        let piece = "c#n#ry-\(mode.rawValue)"
        try database.execute(
            """
            INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
            WHERE i < 500) SELECT hex(randomblob(200)) || replace('\(piece)', '#', 'a') FROM n
            """)
        let search = OwnMemory(backwards: String(mode.rawValue.reversed()) + "-yranac")
        #expect(try database.text("SELECT count(*) FROM t WHERE a LIKE '%zzz'") == "0")
        let open = try search.count()
        try database.execute("BEGIN")
        try database.execute("UPDATE t SET a = 'x' || a")
        let writing = try search.count()
        rig.volume.lock()
        let locked = try search.count()
        print(
            "pages in memory, \(mode): \(open) open, \(writing) in a transaction, \(locked) locked")
        #expect(open >= 500)
        #expect(writing >= 500)
        // SQLite puts a row together in a place of its own, which goes with the connection.
        #expect(locked <= 1)
        try rig.unlock()
        #expect(DatabaseOutcome { try database.execute("COMMIT") } == .locked)
        #expect(try database.text("SELECT count(*) FROM t WHERE a LIKE 'x%'") == "0")
        try database.close()
        #expect(try search.count() == 0)
    }
}
