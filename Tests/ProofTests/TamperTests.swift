import DataProtection
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// Somebody writes to the host files of a volume that was closed cleanly.
@Suite struct `Tampered volumes` {
    private static let tampersPerSeed = 2500 * `Power cuts of a volume`.scale

    @Test(arguments: UInt64(1)...4)
    func `every read gives the right bytes or an error`(_ seed: UInt64) throws {
        let volume = try TamperedVolume.sample.get()
        var generator = SeededGenerator(seed: seed &* 1_000_003)
        var rightCount = 0
        var errors: [ProtectionError.Code: Int] = [:]
        for number in 0..<Self.tampersPerSeed {
            var image = volume.image
            var kinds = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                Tamper.allCases.randomElement(using: &generator)!
            }
            // Together they put a whole file under another name, which is not detected.
            let exchanges: [Set<Tamper>] = [
                [.swapHeaders, .foreignPage], [.moveEntry, .swapLinks],
            ]
            if exchanges.contains(Set(kinds)) { kinds = [.cut] }
            for kind in kinds { kind.apply(to: &image, using: &generator) }
            let verdict = volume.look(at: image, readsSparse: number % 8 == 0)
            let wrong = verdict.wrong.filter { path, found in
                // In a sparse file a zeroed page is a hole: a limit that docs/format.md names.
                path != TamperedVolume.sparse || found.contains { $0 > 3 }
            }
            #expect(
                wrong.isEmpty && verdict.strangeNames.isEmpty,
                "seed \(seed), number \(number), \(kinds): \(wrong.keys), \(verdict.strangeNames)")
            if !wrong.isEmpty { return }
            rightCount += verdict.rightCount
            errors.merge(verdict.errors) { $0 + $1 }
        }
        let list = errors.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        print("tampers, seed \(seed): \(Self.tampersPerSeed); right reads \(rightCount), \(list)")
        let expected: Set<ProtectionError.Code> = [
            .damaged, .missing, .notAVolume, .newerFormat, .deviceKey, .notFolder, .host,
        ]
        #expect(expected.isSuperset(of: errors.keys))
    }
}

/// What the format does not detect, as docs/format.md 11 says; each limit is shown here.
@Suite struct `Tampering that is not detected` {
    private let volume: TamperedVolume

    init() throws { volume = try TamperedVolume.sample.get() }

    private func inode(_ path: String) throws -> UInt64 {
        let pages = PageLayout.lastPage(forSize: Int64(volume.contents[path]!.count)) + 1
        return try #require(
            volume.image.nodes.values.first {
                volume.image.nodes[volume.image.root]!.entries.values.contains($0.inode)
                    && $0.kind == .regular && $0.content.byteCount == pages * 4096
                    && !volume.image.name(of: $0.inode).hasPrefix(".")
            }
        ).inode
    }

    @Test func `two files exchange their names`() throws {
        var image = volume.image
        let (one, other) = (try inode("c"), try inode("a"))
        let names = image.nodes[image.root]!.entries
        for (name, inode) in names where inode == one || inode == other {
            image.nodes[image.root]!.entries[name] = inode == one ? other : one
        }
        let verdict = volume.look(at: image)
        #expect(verdict.wrong.count == 2 && verdict.errors.isEmpty)
        #expect(verdict.wrong.values.allSatisfy(volume.contents.values.contains))
    }

    @Test func `an older version of a page is put back`() throws {
        let store = MemoryStore(volume.image)
        let opened = try ProtectedVolume.open(store, deviceKey: volume.deviceKey)
        let file = try opened.openFile("c", .readWrite)
        try file.write([9, 9, 9], at: 5000)
        file.close()
        try opened.close()
        var image = store.image()
        let inode = try inode("c")
        image.write(volume.image.page(1, of: inode), 1, of: inode)
        #expect(volume.look(at: image).rightCount == volume.contents.count)
    }

    @Test func `a page of a sparse file is replaced by zeros`() throws {
        let store = MemoryStore(volume.image)
        let opened = try ProtectedVolume.open(store, deviceKey: volume.deviceKey)
        let file = try opened.openFile(TamperedVolume.sparse, .readWrite)
        try file.write([7, 7, 7], at: 50_000)
        file.close()
        try opened.close()
        var image = store.image()
        let inode = try inode(TamperedVolume.sparse)
        image.write(
            [UInt8](repeating: 0, count: 4096), PageLayout.page(holding: 50_000), of: inode)
        #expect(volume.look(at: image).rightCount == volume.contents.count)
    }

    @Test func `in an unclean volume, a file is cut after a page`() throws {
        let store = CrashingStore(volume.image)
        let opened = try ProtectedVolume.open(store, deviceKey: volume.deviceKey)
        try opened.write([1], to: "z")
        var image = store.cut(.everything).image()
        image.nodes[try inode("c")]!.content.truncate(to: 8192)
        let verdict = volume.look(at: image)
        #expect(verdict.wrong["c"].map { volume.contents["c"]!.starts(with: $0) } == true)
        #expect(verdict.wrong.count == 1)
    }
}
