import DataProtection
import TestSupport
import Testing

/// What every store does with holes and with space.
@Suite(.scratchFolder) struct `Every store keeps holes and space` {
    private func makeFile(_ kind: StoreKind) throws -> any BackingFile {
        try kind.make().root.createFile("f", mode: 0o600)
    }

    @Test(arguments: StoreKind.allCases)
    func `a punched hole reads as zeros, and gives its space back`(_ kind: StoreKind) throws {
        let file = try makeFile(kind)
        try file.write([UInt8](repeating: 1, count: 100 * 4096 + 5))
        try file.sync(everything: true)
        let before = try file.attributes()
        try file.punchHole(8192..<(90 * 4096))
        var model = [UInt8](repeating: 1, count: 100 * 4096 + 5)
        model.replaceSubrange(8192..<(90 * 4096), with: [UInt8](repeating: 0, count: 88 * 4096))
        #expect(try file.allBytes() == model)
        let after = try file.attributes()
        #expect(after.byteCount == before.byteCount)
        #expect(after.allocatedByteCount <= before.allocatedByteCount - 80 * 4096)
        #expect(after.modificationTime >= before.modificationTime)
        #expect(after.changeTime >= before.changeTime)
    }

    @Test(arguments: StoreKind.allCases)
    func `a hole can be written again`(_ kind: StoreKind) throws {
        let file = try makeFile(kind)
        try file.write(page(1) + page(2) + page(3))
        try file.punchHole(0..<12288)
        #expect(try file.allBytes() == page(0) + page(0) + page(0))
        try file.write([9], at: 4100)
        var second = page(0)
        second[4] = 9
        #expect(try file.allBytes() == page(0) + second + page(0))
    }

    @Test(arguments: StoreKind.allCases)
    func `a hole ends with the file, and does not make it longer`(_ kind: StoreKind) throws {
        let file = try makeFile(kind)
        try file.write(page(1) + [2, 2])
        try file.punchHole(4096..<409_600)
        #expect(try file.allBytes() == page(1) + [0, 0])
        try file.punchHole(409_600..<819_200)
        #expect(try file.attributes().byteCount == 4098)
        try file.truncate(to: 8192)
        #expect(try file.allBytes() == page(1) + page(0))
    }

    /// Refused, or nothing: the range, and the numbers that `punchHole` and `allocate` give.
    private static let ranges: [(Range<Int64>, punch: Int32?, allocate: Int32?)] = [
        (0..<0, nil, nil), (4096..<4096, nil, nil),
        (-4096..<4096, HostError.invalidArgument, HostError.invalidArgument),
        (-4096 ..< -4096, HostError.invalidArgument, HostError.invalidArgument),
        (1..<4096, HostError.invalidArgument, nil), (0..<4095, HostError.invalidArgument, nil),
    ]

    @Test(arguments: StoreKind.allCases)
    func `what cannot be is refused with the kernel's number`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        let file = try root.createFile("f", mode: 0o600)
        try file.write(page(1) + page(2))
        for (range, punch, allocate) in Self.ranges {
            #expect(code { try file.punchHole(range) } == punch, "\(range)")
            #expect(code { try file.allocate(range) } == allocate, "\(range)")
        }
        #expect(try file.allBytes() == page(1) + page(2))
        let reader = try root.openFile("f", writable: false)
        #expect(code { try reader.punchHole(0..<4096) } == HostError.badDescriptor)
        #expect(code { try reader.allocate(0..<4096) } == HostError.badDescriptor)
        #expect(code { try reader.punchHole(0..<1) } == HostError.invalidArgument)
        #expect(try reader.allBytes() == page(1) + page(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `space is set aside without a change to size and content`(_ kind: StoreKind) throws {
        let file = try makeFile(kind)
        try file.write(page(1) + [2, 2])
        try file.allocate(0..<409_600)
        #expect(try file.attributes().byteCount == 4098)
        #expect(try file.attributes().allocatedByteCount >= 409_600)
        #expect(try file.allBytes() == page(1) + [2, 2])
        try file.truncate(to: 300_000)
        #expect(try file.bytes(300_000, at: 4098).allSatisfy { $0 == 0 })
        #expect(try file.attributes().allocatedByteCount >= 409_600)
        try file.write(page(3), at: 200_704)
        #expect(try file.bytes(4096, at: 200_704) == page(3))
        try file.truncate(to: 300_000)
        #expect(try file.attributes().allocatedByteCount <= 350_000)
        try file.truncate(to: 0)
        #expect(try file.attributes().allocatedByteCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `space inside the file goes with a hole`(_ kind: StoreKind) throws {
        let file = try makeFile(kind)
        try file.truncate(to: 409_600)
        try file.allocate(0..<409_600)
        #expect(try file.attributes().allocatedByteCount >= 409_600)
        try file.punchHole(0..<409_600)
        #expect(try file.attributes().allocatedByteCount == 0)
        #expect(try file.attributes().byteCount == 409_600)
    }

    @Test(arguments: StoreKind.allCases)
    func `data and holes are told from where one looks`(_ kind: StoreKind) throws {
        let file = try makeFile(kind)
        for offset in [Int64(-1), 0, 1, 4096] {
            #expect(try file.nextData(from: offset) == nil)
            #expect(try file.nextHole(from: offset) == nil)
        }
        try file.write([1, 2, 3])
        #expect(try [0, 2, 3, -1].map { try file.nextData(from: $0) } == [0, 2, nil, nil])
        #expect(try [0, 2, 3, -1].map { try file.nextHole(from: $0) } == [3, 3, nil, nil])
        try file.truncate(to: 1_000_000)
        try file.punchHole(0..<4096)
        // All of it is a hole, and this is what every host tells.
        #expect(try file.nextData(from: 0) == nil)
        #expect(try file.nextHole(from: 0) == 0)
        #expect(try file.nextHole(from: 999_999) == 999_999)
        #expect(try file.nextHole(from: 1_000_000) == nil)
    }

    @Test(arguments: StoreKind.allCases, [UInt64(1), 2, 3])
    func `random work matches an array, and no byte lies in a hole`(
        _ kind: StoreKind, _ seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let file = try makeFile(kind)
        var model: [UInt8] = []
        func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        for _ in 0..<120 {
            let start = random(700_000)
            switch random(6) {
            case 0:
                try file.truncate(to: Int64(start))
                model = Array(model.prefix(start))
                model += [UInt8](repeating: 0, count: start - model.count)
            case 1:
                let first = start / 4096 * 4096
                let range = first..<(first + random(40) * 4096)
                try file.punchHole(Int64(range.lowerBound)..<Int64(range.upperBound))
                for index in range.clamped(to: 0..<model.count) { model[index] = 0 }
            case 2: try file.allocate(Int64(start)..<Int64(start + random(100_000)))
            default:
                let bytes = generator.bytes(1 + random(9000))
                try file.write(bytes, at: Int64(start))
                model += [UInt8](repeating: 0, count: max(0, start + bytes.count - model.count))
                model.replaceSubrange(start..<(start + bytes.count), with: bytes)
            }
        }
        #expect(try file.allBytes() == model, "seed \(seed)")
        var offset = Int64(0)
        while let data = try file.nextData(from: offset) {
            #expect(model[Int(offset)..<Int(data)].allSatisfy { $0 == 0 }, "seed \(seed)")
            let hole = try #require(try file.nextHole(from: data))
            #expect(hole > data && hole <= model.count)
            offset = hole
        }
        #expect(model[Int(offset)...].allSatisfy { $0 == 0 }, "seed \(seed)")
    }

    @Test(arguments: StoreKind.allCases)
    func `the host tells how full it is`(_ kind: StoreKind) throws {
        let space = try kind.make().store.space()
        #expect(space.blockByteCount >= 512)
        #expect(space.blockCount > 0)
        #expect((0...space.blockCount).contains(space.freeBlockCount))
        #expect((0...space.freeBlockCount).contains(space.availableBlockCount))
        #expect((0...space.inodeCount).contains(space.freeInodeCount))
    }
}
