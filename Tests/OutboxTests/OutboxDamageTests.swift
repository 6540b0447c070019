import DataProtection
import Foundation
import TestSupport
import Testing

@Suite("Items that cannot be used") struct OutboxDamageTests {
    /// The host file of an item.
    private static func host(_ rig: OutboxRig, _ id: Int64) throws -> any BackingFile {
        let inode = try rig.volume.attributes(of: rig.path(of: id)).identity
        func search(_ folder: any BackingFolder) throws -> (any BackingFile)? {
            for entry in try folder.list() {
                if entry.kind == .folder {
                    if let found = try search(folder.openFolder(entry.name)) { return found }
                } else if entry.kind == .regular,
                    try folder.attributes(of: entry.name).identity.inode == inode
                {
                    return try folder.openFile(entry.name, writable: true)
                }
            }
            return nil
        }
        return try #require(try search(rig.store.root))
    }

    private static func cut(_ rig: OutboxRig, _ id: Int64) throws {
        let file = try host(rig, id)
        try file.truncate(to: file.attributes().byteCount - 1)
    }

    @Test func `one byte less, while unlocked: it is kept apart, and the others go on`()
        async throws
    {
        let rig = try OutboxRig()
        let ids = [try await rig.save("0"), try await rig.save("1"), try await rig.save("2")]
        try Self.cut(rig, ids[1])
        let report = try await rig.outbox.drainReport(send: rig.receiver.send)
        #expect(report.status == .drained(2) && report.quarantinedCount == 1)
        #expect(rig.receiver.bodies == ["0", "2"])
        #expect(try await rig.outbox.items().map(\.state) == [.setAside(.damaged)])
        try rig.restart()
        #expect(try await rig.outbox.items().map(\.state) == [.setAside(.damaged)])
        let outbox = rig.outbox
        await #expect { try await outbox.item(ids[1]) } throws: {
            $0.protectionError?.code == .damaged
        }
        try await rig.outbox.drop(ids[1])
        #expect(try await rig.outbox.items().isEmpty)
    }

    @Test func `one byte less, while locked: waiting first, and apart only after the unlock`()
        async throws
    {
        let rig = try OutboxRig()
        let first = try await rig.save("0")
        try await rig.save("1")
        rig.volume.lock()
        try Self.cut(rig, first)
        for _ in 0..<3 { #expect(try await rig.drain() == .waitingForUnlock) }
        let states = try await rig.outbox.items().map(\.state)
        #expect(states == [.pending, .pending], "\(states)")
        try rig.unlock()
        #expect(try await rig.drain() == .drained(1))
        #expect(try await rig.outbox.items().map(\.state) == [.setAside(.damaged)])
    }

    @Test func `a flipped byte is damage, and no other item's content`() async throws {
        let rig = try OutboxRig()
        let id = try await rig.save(String(repeating: "x", count: 10_000))
        let file = try Self.host(rig, id)
        var page = [UInt8](repeating: 0, count: 4096)
        var span = page.mutableSpan
        _ = try file.read(into: &span, at: 4096)
        page[100] ^= 1
        try file.write(page.span, at: 4096)
        #expect(try await rig.drain() == .drained(0))
        #expect(rig.receiver.arrivals.isEmpty)
        #expect(try await rig.outbox.items().map(\.state) == [.setAside(.damaged)])
    }

    @Test func `what another place or another program wrote is kept apart, and can be restored`()
        async throws
    {
        let rig = try OutboxRig()
        let ids = [try await rig.save("0"), try await rig.save("1"), try await rig.save("22")]
        let paths = try ids.map { try rig.path(of: $0) }
        // Two items under each other's names; a file that is none; a folder.
        try rig.volume.rename(paths[0], to: paths[1], rule: .exchange)
        try rig.volume.write(Array("no item".utf8), to: paths[2], class: .complete)
        try rig.volume.makeFolder("Outbox/0000000000000000/0000000000000009-1")
        #expect(try await rig.drain() == .drained(0))
        let states = try await rig.outbox.items().map(\.state)
        #expect(states == Array(repeating: .setAside(.foreign), count: 4))
        try rig.volume.rename(paths[0], to: paths[1], rule: .exchange)
        for id in ids.prefix(2) { try await rig.outbox.retry(id) }
        #expect(try await rig.drain() == .drained(2))
        #expect(rig.receiver.bodies == ["0", "1"])
    }

    @Test func `an item of a later version is kept for that version`() async throws {
        let rig = try OutboxRig()
        let id = try await rig.save("0")
        try await rig.save("1")
        let path = try rig.path(of: id)
        let file = try rig.volume.openFile(path, .readWrite)
        try file.write([2], at: 7)
        file.close()
        #expect(try await rig.drain() == .drained(1))
        #expect(try await rig.outbox.items().map(\.state) == [.setAside(.newerFormat)])
        let outbox = rig.outbox
        await #expect { try await outbox.item(id) } throws: {
            $0.protectionError?.code == .newerFormat
        }
    }

    @Test func `a log of a later version is left alone`() async throws {
        let rig = try OutboxRig()
        try await rig.save("0")
        let file = try rig.volume.openFile("Outbox/log", .readWrite)
        try file.write([UInt8(ascii: "2")], at: 7)
        file.close()
        #expect { try rig.restart() } throws: { $0.protectionError?.code == .newerFormat }
        #expect(try rig.volume.read("Outbox/log").count >= 40)
    }

    @Test(arguments: ["flipped", "cut", "emptied", "removed"])
    func `a damaged log costs attempts and no item`(kind: String) async throws {
        let rig = try OutboxRig()
        let texts = (0..<5).map { "\($0)" }
        for text in texts { try await rig.save(text) }
        rig.receiver.answer { item in if item.id == 3 { throw OutboxFailure.refused() } }
        #expect(try await rig.drain() == .blocked(3, .refused))
        rig.receiver.answer(nil)
        switch kind {
        case "removed": try rig.volume.removeFile("Outbox/log")
        case "emptied": try rig.volume.openFile("Outbox/log", [.write, .truncate]).close()
        default:
            let inode = try rig.volume.attributes(of: "Outbox/log").identity
            let folder = try rig.store.root.openFolder(
                #require(rig.store.root.list().first { $0.kind == .folder }).name)
            let name = try #require(
                folder.list().first {
                    try folder.attributes(of: $0.name).identity.inode == inode
                })
            let file = try folder.openFile(name.name, writable: true)
            if kind == "cut" {
                try file.truncate(to: 4095)
            } else {
                try file.write([1, 2, 3].span, at: 700)
            }
        }
        try rig.restart()
        #expect(try await rig.drain() == .drained(3))
        #expect(rig.receiver.bodies == ["0", "1", "2", "2", "3", "4"])
        try rig.restart()
        #expect(try await rig.drain() == .drained(0))
    }

    @Test(arguments: ["my diary", "", "SDPOUT", String(repeating: "diary ", count: 100)])
    func `a file of somebody else is not taken for a log`(text: String) async throws {
        let rig = try OutboxRig()
        try rig.volume.makeFolder("Docs")
        try rig.volume.write(Array(text.utf8), to: "Docs/log")
        // What a power cut can leave of a log's first bytes is a log that was never begun.
        if "SDPOUTB1".hasPrefix(text) {
            try await rig.volume.outbox("Docs").save(Data([1]))
            return
        }
        #expect { try rig.volume.outbox("Docs") } throws: { $0.protectionError?.code == .exists }
        #expect(try rig.volume.read("Docs/log") == Array(text.utf8))
    }

    @Test func `names that no outbox makes are nothing of an outbox's`() async throws {
        let rig = try OutboxRig()
        let names = [
            "001fffffffffffff/7fffffffffffffff-1",
            "0000000000000000/0000000000000001-9223372036854775807",
            "0000000000000000/0000000000000002-9223372036854775807", "0000000000000000/x",
            "7fffffffffffffff/7fffffffffffffff-0", "0000000000000000/-1", "0000000000000000/1-1",
        ]
        for name in names {
            try? rig.volume.makeFolder("Outbox/" + name.prefix { $0 != "/" })
            try rig.volume.write([1], to: "Outbox/" + name)
        }
        try rig.restart()
        #expect(try await rig.outbox.items().isEmpty)
        #expect(try await rig.outbox.items(after: .max).isEmpty)
        #expect(try await rig.outbox.items(after: .min).isEmpty)
        try await rig.save("0")
        #expect(try await rig.drain() == .drained(1))
    }

    @Test func `an item that somebody removed is gone, and nothing else`() async throws {
        let rig = try OutboxRig()
        let id = try await rig.save("0")
        try await rig.save("1")
        try rig.volume.removeFile(rig.path(of: id))
        #expect(try await rig.drain() == .drained(1))
        #expect(await rig.outbox.status.pendingCount == 0)
        #expect(await rig.outbox.status.byteCount == 0)
    }
}
