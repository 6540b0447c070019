import DataProtection
import TestSupport
import Testing

/// Holes and reserved space, against a model.
@Suite struct `The space of a file` {
    private static let limit = 600_000

    @Test(arguments: RigStore.allCases, [UInt64(1), 2, 3, 4])
    func `holds what was written, whatever is punched, zeroed and cut`(
        store: RigStore, seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let rig = try VolumeRig(store)
        var file = try rig.volume.openFile("f", [.read, .write, .create], class: .complete)
        var model: [UInt8] = []
        for step in 0..<150 {
            let start = Int.random(in: 0..<Self.limit, using: &generator)
            let count = Int.random(
                in: 1...(Bool.random(using: &generator) ? 9000 : 200_000), using: &generator)
            let range = Int64(start)..<Int64(start + count)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0, 1:
                let bytes = generator.bytes(min(count, 20_000))
                try file.write(bytes, at: range.lowerBound)
                model.grow(to: start + bytes.count)
                model.replaceSubrange(start..<start + bytes.count, with: bytes)
            case 2:
                try file.punchHole(range)
                model.clear(start..<start + count)
            case 3:
                let keepsSize = Bool.random(using: &generator)
                try file.zeroRange(range, keepsSize: keepsSize)
                if !keepsSize { model.grow(to: start + count) }
                model.clear(start..<start + count)
            case 4:
                let keepsSize = Bool.random(using: &generator)
                try file.allocate(range, keepsSize: keepsSize)
                if !keepsSize { model.grow(to: start + count) }
            case 5:
                try file.truncate(to: Int64(start))
                model.grow(to: start)
                model.removeLast(model.count - start)
            default:
                if step % 3 == 0 {
                    file.close()
                    try rig.reopen()
                    file = try rig.volume.openFile("f", .readWrite)
                }
            }
            #expect(file.size == Int64(model.count), "seed \(seed), step \(step)")
            if step % 5 == 0 { try check(file, model, "seed \(seed), step \(step)") }
        }
        try check(file, model, "seed \(seed), at the end")
        file.close()
        try rig.reopen()
        #expect(try rig.volume.read("f") == model)
        #expect(try rig.volume.verify().isWhole)
    }

    /// Content, and that no byte but a zero is ever said to be in a hole.
    private func check(_ file: ProtectedFile, _ model: [UInt8], _ place: String) throws {
        #expect(try file.read(at: 0, count: model.count + 10) == model, "\(place)")
        var offset: Int64 = 0
        while let data = try file.nextData(from: offset) {
            #expect(data >= offset && data < file.size, "\(place)")
            #expect(model[Int(offset)..<Int(data)].allSatisfy { $0 == 0 }, "\(place)")
            #expect(try file.nextData(from: data) == data, "\(place)")
            let hole = try #require(try file.nextHole(from: data))
            #expect(hole > data && hole <= file.size, "\(place)")
            offset = hole
        }
        #expect(offset == file.size)
        #expect(try file.nextHole(from: file.size) == nil)
    }

    @Test(arguments: RigStore.allCases)
    func `is given back by a hole, and told exactly`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let file = try rig.volume.openFile("f", [.read, .write, .create])
        try file.write(pattern(1_000_000), at: 0)
        try file.synchronize()
        let before = try file.attributes().allocatedByteCount
        try file.punchHole(100_000..<900_000)
        try file.synchronize()
        let after = try file.attributes().allocatedByteCount
        #expect(before - after > 780_000)
        // Pages hold 4052 bytes after the first 3540: those that lie in the range are the hole.
        let hole = try #require(try file.nextHole(from: 0))
        let data = try #require(try file.nextData(from: hole))
        #expect(hole == 3540 + 24 * 4052)
        #expect(data == 3540 + 221 * 4052)
        #expect(try file.nextHole(from: 500_000) == 500_000)
        #expect(try file.nextData(from: 500_000) == data)
        #expect(try file.nextHole(from: data) == 1_000_000)
        #expect(try file.read(at: 99_999, count: 2) == [pattern(1_000_000)[99_999], 0])
        #expect(try file.read(at: 899_999, count: 2) == [0, pattern(1_000_000)[900_000]])
    }

    @Test func `that was set aside is there when the disk is full`() throws {
        var options = MemoryStore.Options()
        options.byteLimit = 1_000_000
        let rig = try VolumeRig(options: options)
        let file = try rig.volume.openFile("f", [.read, .write, .create])
        try file.allocate(0..<400_000, keepsSize: true)
        #expect(file.size == 0)
        let other = try rig.volume.openFile("other", [.write, .create])
        var offset: Int64 = 0
        while refusal({ try other.write(pattern(10_000), at: offset) }) == nil { offset += 10_000 }
        for start in stride(from: 0, to: 400_000, by: 20_000) {
            try file.write(pattern(20_000), at: Int64(start))
        }
        #expect(file.size == 400_000)
        #expect(refusal { try file.allocate(0..<5_000_000, keepsSize: false) } == .noSpace)
        #expect(file.size == 400_000)
        #expect(try file.read(at: 380_000, count: 20_000) == pattern(20_000))
    }

    @Test func `is not changed while the file is sealed`() throws {
        let rig = try VolumeRig()
        let file = try rig.volume.openFile("f", [.read, .write, .create], class: .complete)
        try file.write(pattern(100_000), at: 0)
        rig.volume.lock()
        #expect(refusal { try file.punchHole(0..<50_000) } == .sealed)
        #expect(refusal { try file.zeroRange(0..<200_000) } == .sealed)
        #expect(refusal { try file.allocate(0..<200_000) } == .sealed)
        #expect(refusal { _ = try file.nextData(from: 0) } == .sealed)
        #expect(refusal { _ = try file.nextHole(from: 0) } == .sealed)
        try rig.unlock()
        #expect(try file.read(at: 0, count: 100_000) == pattern(100_000))
        let reader = try rig.volume.openFile("f")
        #expect(refusal { try reader.punchHole(0..<1) } == .wrongAccess)
        for range in [Int64(5)..<5, -1..<5] {
            #expect(refusal { try file.punchHole(range) } == .invalidArgument)
        }
    }

    @Test func `of the host is told`() throws {
        for store in RigStore.allCases {
            let space = try VolumeRig(store).volume.space()
            #expect(space.blockByteCount > 0)
            #expect(space.blockCount >= space.freeBlockCount)
            #expect(space.freeBlockCount >= space.availableBlockCount)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func grow(to count: Int) {
        if count > self.count { self += [UInt8](repeating: 0, count: count - self.count) }
    }

    fileprivate mutating func clear(_ range: Range<Int>) {
        let inside = range.clamped(to: 0..<count)
        replaceSubrange(inside, with: repeatElement(0, count: inside.count))
    }
}
