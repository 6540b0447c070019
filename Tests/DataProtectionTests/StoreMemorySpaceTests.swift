import DataProtection
import Synchronization
import TestSupport
import Testing

/// The space of a store in memory, to the page.
@Suite struct `The space of a store in memory` {
    private func makeStore(pageCount: Int64, entryCount: Int64 = 16) -> MemoryStore {
        var options = MemoryStore.Options()
        // The top folder is an entry, and 16 of them are a page.
        options.byteLimit = pageCount * 4096 + entryCount * 256
        return MemoryStore(options)
    }

    private func freePages(_ store: MemoryStore) throws -> Int64 {
        try store.space().freeBlockCount
    }

    @Test func `follows what is written, punched, cut and removed`() throws {
        let store = makeStore(pageCount: 10, entryCount: 2)
        #expect(try store.space().blockCount == 10)
        #expect(try store.space().inodeCount == 10 * 16 + 2)
        var file: (any BackingFile)? = try store.root.createFile("f", mode: 0o600)
        #expect(try store.space().freeInodeCount == 160)
        try file?.write(page(1) + page(2) + page(3) + [4])
        #expect(try freePages(store) == 6)
        try file?.punchHole(4096..<8192)
        #expect(try freePages(store) == 7)
        try file?.punchHole(0..<409_600)
        #expect(try freePages(store) == 10)
        try file?.write([1], at: 8192)
        try file?.truncate(to: 100)
        #expect(try freePages(store) == 10)
        try file?.write(page(1))
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        try store.root.removeFile("f")
        file = nil
        #expect(try freePages(store) == 9)
        try store.root.removeFile("g")
        #expect(try freePages(store) == 10)
        #expect(try store.space().freeInodeCount == 161)
    }

    @Test func `has a large size when there is no limit`() throws {
        let store = MemoryStore()
        let before = try store.space()
        try store.root.createFile("f", mode: 0o600).write(page(1))
        #expect(before.blockCount * before.blockByteCount == 1 << 44)
        #expect(before.freeBlockCount == before.blockCount)
        #expect(try store.space() == before)
    }

    @Test func `that is set aside is there for a write, and comes back with a truncate`() throws {
        let store = makeStore(pageCount: 10, entryCount: 3)
        let file = try store.root.createFile("f", mode: 0o600)
        let other = try store.root.createFile("g", mode: 0o600)
        try file.write(page(1))
        try file.allocate(100..<(7 * 4096 + 1))
        #expect(try file.attributes().byteCount == 4096)
        #expect(try file.attributes().allocatedByteCount == 8 * 4096)
        #expect(try freePages(store) == 2)
        try other.write(page(1) + page(2))
        #expect(code { try other.write([1], at: 8192) } == HostError.noSpace)
        for index in Int64(0)..<8 { try file.write(page(9), at: index * 4096) }
        #expect(code { try file.write([1], at: 8 * 4096) } == HostError.noSpace)
        #expect(try file.attributes().byteCount == 8 * 4096)
        try other.truncate(to: 0)
        try file.allocate((8 * 4096)..<(10 * 4096))
        #expect(try freePages(store) == 0)
        try file.truncate(to: 8 * 4096)
        #expect(try freePages(store) == 2)
        try file.allocate((8 * 4096)..<(10 * 4096))
        try file.truncate(to: 9 * 4096)
        #expect(try freePages(store) == 0)
        try file.truncate(to: 4096)
        #expect(try freePages(store) == 9)
    }

    @Test func `is taken whole or not at all`() throws {
        let store = makeStore(pageCount: 4, entryCount: 2)
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(page(1))
        let before = try file.attributes()
        #expect(code { try file.allocate(0..<(5 * 4096)) } == HostError.noSpace)
        #expect(try file.attributes() == before)
        #expect(try freePages(store) == 3)
        try file.allocate(0..<(4 * 4096))
        #expect(try freePages(store) == 0)
        try file.allocate(0..<(4 * 4096))
        #expect(code { try file.allocate(0..<Int64.max) } == HostError.fileTooLarge)
        #expect(code { try store.root.createFile("x", mode: 0).write([1]) } == HostError.noSpace)
    }

    @Test func `that is set aside comes back at the last close`() throws {
        let store = makeStore(pageCount: 600)
        var file: (any BackingFile)? = try store.root.createFile("f", mode: 0o600)
        try file?.allocate(0..<(500 * 4096))
        try file?.write(page(1), at: 600 * 4096)
        let free = try freePages(store)
        try store.root.removeFile("f")
        file = nil
        #expect(try freePages(store) == free + 501)
    }

    @Test func `counts in a copy as in the original`() throws {
        let store = makeStore(pageCount: 100)
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(page(1))
        try file.allocate(0..<(50 * 4096))
        try file.punchHole(0..<4096)
        try store.root.makeLink(of: "f", in: store.root, as: "g")
        let copy = MemoryStore(store.image(), store.options)
        #expect(try copy.space() == store.space())
        try copy.root.removeFile("f")
        #expect(try copy.space() == store.space())
        try copy.root.removeFile("g")
        #expect(try copy.space().freeBlockCount >= 100)
    }

    @Test func `holes are exact to the page`() throws {
        let file = try makeStore(pageCount: 1000).root.createFile("f", mode: 0o600)
        // Across two chunks of 64 pages; what is set aside is no data, as on ext4.
        try file.write(page(1), at: 10 * 4096)
        try file.write(page(1) + page(1), at: 63 * 4096)
        try file.write([1], at: 200 * 4096 + 7)
        try file.allocate(0..<(150 * 4096))
        var runs: [Range<Int64>] = []
        var offset = Int64(0)
        while let data = try file.nextData(from: offset) {
            offset = try #require(try file.nextHole(from: data))
            runs.append(data..<offset)
        }
        let expected: [Range<Int64>] = [
            (10 * 4096)..<(11 * 4096), (63 * 4096)..<(65 * 4096),
            (200 * 4096)..<(200 * 4096 + 8),
        ]
        #expect(runs == expected)
        try file.punchHole((63 * 4096)..<(64 * 4096))
        #expect(try file.nextData(from: 11 * 4096) == 64 * 4096)
        #expect(try file.nextData(from: 64 * 4096 + 5) == 64 * 4096 + 5)
        #expect(try file.nextHole(from: 64 * 4096 + 5) == 65 * 4096)
        #expect(try file.nextHole(from: 100 * 4096 + 5) == 100 * 4096 + 5)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `random work leaves the pages of a map, and the space of it`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let store = makeStore(pageCount: 100_000)
        let file = try store.root.createFile("f", mode: 0o600)
        let free = try freePages(store)
        var (written, reserved, size): (Set<Int64>, Set<Int64>, Int64) = ([], [], 0)
        for _ in 0..<400 {
            let first = Int64.random(in: 0..<300, using: &generator)
            let count = Int64.random(in: 1...90, using: &generator)
            let pages = first..<(first + count)
            let range = (first * 4096)..<((first + count) * 4096)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0...1:
                try file.write([UInt8](repeating: 1, count: Int(count) * 4096), at: first * 4096)
                written.formUnion(pages)
                size = max(size, range.upperBound)
            case 2:
                try file.allocate(range)
                reserved.formUnion(pages)
            case 3:
                try file.punchHole(range)
                let hole = pages.filter { $0 * 4096 < size }
                written.subtract(hole)
                reserved.subtract(hole)
            default:
                if range.lowerBound <= size {
                    written = written.filter { $0 < first }
                    reserved = reserved.filter { $0 < first }
                }
                size = range.lowerBound
                try file.truncate(to: size)
            }
            let occupied = Int64(written.union(reserved).count)
            #expect(try file.attributes().allocatedByteCount == occupied * 4096, "seed \(seed)")
            #expect(try freePages(store) == free - occupied, "seed \(seed)")
            let next = written.filter { $0 >= first && $0 * 4096 < size }.min()
            #expect(try file.nextData(from: first * 4096) == next.map { $0 * 4096 })
        }
    }
}
