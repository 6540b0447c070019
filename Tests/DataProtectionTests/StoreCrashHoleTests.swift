import DataProtection
import SimulatedDevice
import TestSupport
import Testing

/// Power cuts and punched holes, which the journal orders with names, and with pages written later.
@Suite struct `A power cut and a hole` {
    private func makeStore(
        _ bytes: [UInt8], _ rule: CommitRule = .wholeJournal
    ) throws -> (CrashingStore, any BackingFile) {
        let store = CrashingStore(commitRule: rule)
        let file = try store.root.createFile("f", mode: 0o600)
        try file.write(bytes)
        try file.sync(everything: true)
        try store.root.sync()
        return (store, file)
    }

    /// A file's pages as one letter each: the byte that fills it, 0 for zeros.
    private func letters(_ folder: any BackingFolder) throws -> String {
        let bytes = try folder.allBytes(of: "f")
        return stride(from: 0, to: bytes.count, by: 4096).map { "\(bytes[$0])" }.joined()
    }

    private func all(_ store: CrashingStore) throws -> Set<String> {
        let cuts = store.possibleCuts()
        return Set(
            try (0..<cuts.count).map { try letters(store.cut(.numbered($0)).root) })
    }

    private func punch(_ file: any BackingFile, _ pages: Range<Int64>) throws {
        try file.punchHole((pages.lowerBound * 4096)..<(pages.upperBound * 4096))
    }

    @Test func `a hole is lost or kept, as a whole`() throws {
        let (store, file) = try makeStore(page(1) + page(1) + page(1) + page(1))
        try punch(file, 1..<3)
        #expect(try all(store) == ["1111", "1001"])
        try file.sync(everything: false)
        #expect(try all(store) == ["1001"])
    }

    @Test func `what was written before may come back with a lost hole`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try file.write(page(2), at: 4096)
        try file.write(page(3), at: 4096)
        try punch(file, 1..<2)
        #expect(try all(store) == ["11", "12", "13", "10"])
    }

    @Test func `pages written into a hole are lost with it`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try punch(file, 1..<2)
        try file.write(page(2), at: 4096)
        try file.write(page(3), at: 4096)
        #expect(try all(store) == ["11", "10", "12", "13"])
    }

    @Test func `pages beside a lost hole may be kept`() throws {
        let (store, file) = try makeStore(page(1) + page(1) + page(1))
        try punch(file, 1..<2)
        try file.write(page(2) + page(2) + page(2))
        let outer = ["1", "2"]
        let expected = outer.flatMap { first in
            ["1", "0", "2"].flatMap { middle in outer.map { first + middle + $0 } }
        }
        #expect(try all(store) == Set(expected))
    }

    @Test func `growth out of a lost hole is lost with it`() throws {
        let (store, file) = try makeStore(page(1) + [2])
        try punch(file, 1..<2)
        try file.write(page(3), at: 4096)
        let left = try Set(
            (0..<store.possibleCuts().count).map { number in
                try store.cut(.numbered(number)).root.allBytes(of: "f")
            })
        let kept = [page(1) + [0], page(1) + page(0), page(1) + [3], page(1) + page(3)]
        #expect(left == Set([page(1) + [2]] + kept))
    }

    @Test func `a second hole can be lost alone`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try punch(file, 0..<1)
        try file.write(page(2))
        try punch(file, 0..<2)
        try file.write(page(3) + page(3))
        #expect(
            try all(store) == [
                "11",  // neither
                "01", "21",  // the first
                "00", "03", "30", "33",  // both
            ])
    }

    @Test func `a hole and a truncate keep their order`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try punch(file, 0..<1)
        try file.truncate(to: 4096)
        try file.write(page(2))
        #expect(try all(store) == ["11", "01", "0", "2"])
    }

    @Test func `another file's sync keeps a hole, but not the pages after it`() throws {
        let (store, file) = try makeStore(page(1))
        try file.write(page(2))
        try punch(file, 0..<1)
        try store.root.createFile("g", mode: 0o600).sync(everything: false)
        // What was written before is not even a possibility.
        #expect(store.possibleCuts().count == 1)
        try file.write(page(3))
        #expect(try all(store) == ["0", "3"])
    }

    @Test(arguments: [false, true])
    func `where syncs promise less, the file's own sync keeps its hole`(
        _ everything: Bool
    ) throws {
        let (store, file) = try makeStore(page(1), .onlyTheSynced)
        try punch(file, 0..<1)
        try store.root.createFile("g", mode: 0o600).sync(everything: true)
        // The new file came later, so the journal up to it holds the hole.
        #expect(try all(store) == ["0"])
        try file.write(page(2))
        try file.sync(everything: true)
        try store.root.sync()
        try punch(file, 0..<1)
        try store.root.sync()
        #expect(try all(store) == ["2", "0"])
        try file.sync(everything: everything)
        #expect(try all(store) == ["0"])
    }

    @Test func `a page written into an old hole is there or is zeros`() throws {
        let (store, file) = try makeStore(page(1) + page(1))
        try punch(file, 1..<2)
        try file.sync(everything: false)
        try file.write(page(2), at: 4096)
        #expect(try all(store) == ["10", "12"])
    }

    @Test func `space that was set aside shows nothing`() throws {
        let (store, file) = try makeStore(page(1))
        let before = store.operationCount
        try file.allocate(0..<409_600)
        #expect(store.operationCount == before)
        try file.write(page(2), at: 4096)
        #expect(try all(store) == ["1", "10", "12"])
        try file.sync(everything: false)
        #expect(try all(store) == ["12"])
    }

    /// One file of three pages, changed at random; after each change a new empty file tells how far
    /// the journal on a disk reaches.
    private func trace(_ seed: UInt64) throws -> (CrashingStore, [PageChange]) {
        var generator = SeededGenerator(seed: seed)
        let (store, file) = try makeStore(page(1) + page(1) + page(1))
        var changes: [PageChange] = []
        for step in 0..<5 {
            let first = Int64.random(in: 0...2, using: &generator)
            let pages = first..<Int64.random(in: (first + 1)...3, using: &generator)
            if Bool.random(using: &generator) {
                try punch(file, pages)
                changes.append(PageChange(pages: pages, letter: nil))
            } else {
                let letter = UInt8(step + 2)
                for index in pages { try file.write(page(letter), at: index * 4096) }
                changes.append(PageChange(pages: pages, letter: letter))
            }
            _ = try store.root.createFile("m\(step)", mode: 0o600)
        }
        return (store, changes)
    }

    private struct PageChange {
        let pages: Range<Int64>
        /// What was written; `nil` for a hole.
        let letter: UInt8?

        /// What one page may be after these changes, of which the journal on the disk has the first
        /// so many for certain, and perhaps one more.
        static func contents(
            of index: Int64, _ changes: [PageChange], kept: Int
        ) -> (certain: Set<UInt8>, withNext: Set<UInt8>) {
            func contents(_ kept: Int) -> Set<UInt8> {
                var left: Set<UInt8> = [1]
                for (step, change) in changes.enumerated() where change.pages.contains(index) {
                    if let letter = change.letter {
                        left.insert(letter)
                    } else if step < kept {
                        left = [0]
                    } else {
                        break
                    }
                }
                return left
            }
            return (contents(kept), contents(kept + 1))
        }
    }

    @Test(arguments: UInt64(1)...12)
    func `each page of a random trace is what the holes on the disk allow, and all of that`(
        _ seed: UInt64
    ) throws {
        let (store, changes) = try trace(seed)
        var seen: [Int: [Set<UInt8>]] = [:]
        for number in 0..<store.possibleCuts().count {
            let root = store.cut(.numbered(number)).root
            let kept = try root.names().count - 1
            let bytes = try root.allBytes(of: "f")
            #expect(bytes.count == 12288)
            for index in 0..<3 {
                let page = bytes[(index * 4096)..<((index + 1) * 4096)]
                let allowed = PageChange.contents(of: Int64(index), changes, kept: kept)
                let letter = page.first ?? 255
                #expect(page.allSatisfy { $0 == letter })
                #expect(
                    allowed.certain.union(allowed.withNext).contains(letter),
                    "seed \(seed), disk \(number), page \(index)")
                seen[kept, default: Array(repeating: [], count: 3)][index].insert(letter)
            }
        }
        for (kept, pages) in seen {
            for (index, letters) in pages.enumerated() {
                let allowed = PageChange.contents(of: Int64(index), changes, kept: kept)
                #expect(letters == allowed.certain.union(allowed.withNext), "seed \(seed)")
            }
        }
    }
}
