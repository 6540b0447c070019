import DataProtection
import TestSupport
import Testing

/// Random operations on files, against plain arrays of bytes.
@Suite struct `A file's content` {
    struct Setup: CustomTestStringConvertible, Sendable {
        let cipher: VolumeCipher
        let store: RigStore
        var testDescription: String { "\(cipher.rawValue) \(store)" }
    }

    private static let setups = [
        Setup(cipher: .aes, store: .memory), Setup(cipher: .chacha, store: .memory),
        Setup(cipher: .aes, store: .folder), Setup(cipher: .chacha, store: .folder),
    ]
    private static let sizes = [
        0, 1, 2, 3539, 3540, 3541, 4095, 4096, 4097, 7591, 7592, 7593, 8192, 11_644, 11_645,
        12_288, 69_000, 300_000,
    ]
    private static let operationCount = 1000

    /// A file and what it must hold.
    private struct Pair {
        let name: String
        var file: ProtectedFile
        var model: [UInt8] = []

        func verify(_ note: Comment) throws {
            #expect(file.size == Int64(model.count), note)
            #expect(try file.read(at: 0, count: model.count + 1) == model, note)
        }
    }

    @Test(arguments: setups) func `is what a model says, after every operation`(setup: Setup) throws
    {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let rig = try VolumeRig(setup.store, cipher: setup.cipher)
        var pairs = try ProtectionClass.allCases.map { protectionClass in
            Pair(
                name: protectionClass.name,
                file: try rig.volume.openFile(
                    protectionClass.name, [.readWrite, .create], class: protectionClass))
        }
        for number in 0..<Self.operationCount {
            let index = Int.random(in: 0..<pairs.count, using: &generator)
            let note: Comment = "seed \(seed), operation \(number)"
            try change(&pairs[index], &generator, note)
            if number % 10 == 0 { try pairs[index].verify(note) }
            guard number % 125 == 124 else { continue }
            for pair in pairs { pair.file.close() }
            try rig.reopen()
            for index in pairs.indices {
                pairs[index].file = try rig.volume.openFile(pairs[index].name, .readWrite)
                try pairs[index].verify(note)
            }
        }
    }

    private func change(
        _ pair: inout Pair, _ generator: inout SeededGenerator, _ note: Comment
    ) throws {
        let size = Self.sizes.randomElement(using: &generator)!
        let near = size + Int.random(in: -1...1, using: &generator)
        let place = Bool.random(using: &generator) ? near : pair.model.count
        let offset = max(0, min(place, 400_000))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            let bytes = generator.bytes(Int.random(in: 0...9000, using: &generator))
            try pair.file.write(bytes, at: Int64(offset))
            guard !bytes.isEmpty else { break }
            pad(&pair.model, to: offset)
            let end = min(pair.model.count, offset + bytes.count)
            pair.model.replaceSubrange(offset..<end, with: bytes)
        case 2:
            let bytes = generator.bytes(min(size, 70_000))
            guard pair.model.count < 500_000 else { break }
            #expect(try pair.file.append(bytes) == Int64(pair.model.count), note)
            pair.model += bytes
        case 3:
            try pair.file.truncate(to: Int64(offset))
            pair.model.removeLast(max(0, pair.model.count - offset))
            pad(&pair.model, to: offset)
        case 4:
            let count = Int.random(in: 0...9000, using: &generator)
            let start = min(offset, pair.model.count)
            let expected = pair.model[start..<min(pair.model.count, start + count)]
            #expect(try pair.file.read(at: Int64(start), count: count) == Array(expected), note)
            #expect(try pair.file.read(at: Int64(pair.model.count), count: 9) == [], note)
        default:
            try pair.file.synchronize()
        }
        #expect(pair.file.size == Int64(pair.model.count), note)
    }

    private func pad(_ model: inout [UInt8], to count: Int) {
        model += [UInt8](repeating: 0, count: max(0, count - model.count))
    }

    /// The table of docs/format.md section 10.
    @Test(
        arguments: [
            (0, [0x8000_0000]), (1, [0x8000_0001]), (3540, [0x8000_0DD4]),
            (3541, [0x0000_0DD4, 0x8000_0001]), (7592, [0x0000_0DD4, 0x8000_0FD4]),
            (7593, [0x0000_0DD4, 0x0000_0FD4, 0x8000_0001]),
            (1_048_576, [0x0DD4] + [UInt32](repeating: 0x0FD4, count: 257) + [0x8000_0E58]),
        ] as [(Int, [UInt32])])
    func `lies on the host as the format says`(size: Int, words: [UInt32]) throws {
        for way in ["at once", "in pieces", "cut"] {
            let rig = try VolumeRig()
            let file = try rig.volume.openFile("f", [.readWrite, .create])
            let content = pattern(size)
            switch way {
            case "at once": try file.write(content, at: 0)
            case "in pieces":
                for start in stride(from: 0, to: size, by: 50_001) {
                    try file.append(Array(content[start..<min(size, start + 50_001)]))
                }
            default:
                try file.write(content + pattern(10_000), at: 0)
                try file.truncate(to: Int64(size))
            }
            let name = try #require(
                rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
            let host = try rig.store.root.readAll(name, byteCountMaximum: 2_000_000)
            #expect(host.count == words.count * 4096)
            let found = words.indices.map { page -> UInt32 in
                host.integer(at: page * 4096 + (page == 0 ? 552 : 40))
            }
            #expect(found == words, "\(way)")
            #expect(try rig.volume.attributes(of: "f").hostByteCount == Int64(host.count))
            #expect(size < 9 || !host.contains(content.prefix(9)))
        }
    }

    @Test func `may have holes, which read as zeros`() throws {
        let rig = try VolumeRig()
        let file = try rig.volume.openFile("f", [.readWrite, .create])
        try file.write([1], at: 0)
        try file.write([2], at: 10_000_000)
        #expect(file.size == 10_000_001)
        let host = try #require(rig.store.root.list().first { !$0.name.hasPrefix(".") })
        let allocated = try rig.store.root.attributes(of: host.name).allocatedByteCount
        #expect(allocated < 100_000)
        try file.write([3], at: 5_000_000)
        try rig.reopen()
        let found = try rig.volume.read("f")
        #expect(found.count == 10_000_001)
        #expect(found.indices.filter { found[$0] != 0 } == [0, 5_000_000, 10_000_000])
        let again = try rig.volume.openFile("f", .readWrite)
        try again.truncate(to: 7_000_000)
        #expect(try again.read(at: 4_999_999, count: 3) == [0, 3, 0])
        #expect(try again.read(at: 6_999_990, count: 100) == [UInt8](repeating: 0, count: 10))
    }

    @Test func `is never larger than the format can say`() throws {
        let rig = try VolumeRig()
        let file = try rig.volume.openFile("f", [.readWrite, .create])
        for size in [-1, .min, .max, (1 << 62) + 1] as [Int64] {
            #expect(refusal { try file.truncate(to: size) } == .invalidArgument)
            #expect(refusal { try file.write([1], at: size) } == .invalidArgument)
        }
        #expect(refusal { _ = try file.read(at: -1, count: 1) } == .invalidArgument)
        #expect(file.size == 0)
    }
}
