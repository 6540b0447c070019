package import DataProtection

/// All disks that a power cut at one moment could leave.
package struct PossibleCuts: Sendable {
    private let base: MemoryImage
    private let changes: [MemoryChange]
    /// How many operations the last sync committed.
    private let committed: Int

    /// Looks at a disk and at what happened to it until the power failed.
    init(of base: MemoryImage, after changes: [MemoryChange], _ rule: CommitRule) {
        self.base = base
        self.changes = changes
        committed = rule.committedCount(of: changes)
    }

    /// How many disks there are, counting each journal prefix, each content of each dirty page, and
    /// each size of each file that grew. Equal disks may be counted twice. Prefixes that differ in
    /// times alone are not counted, and so have no number. `Int.max` stands for too many to count.
    ///
    /// - Complexity: the number of prefixes times the length of the trace.
    package var count: Int {
        journalEnds.reduce(0) { sum, end in
            let (next, overflow) = sum.addingReportingOverflow(
                wayCount(of: scene(journalEnd: end).decisions))
            return overflow ? .max : next
        }
    }

    /// Makes one of the disks.
    ///
    /// - Complexity: the length of the trace, whatever the outcome.
    package func image(_ outcome: CutOutcome) -> MemoryImage {
        switch outcome {
        case .nothingUnsynced:
            let scene = scene(journalEnd: committed)
            return image(scene, scene.decisions.map { _ in 0 })
        case .everything:
            let scene = scene(journalEnd: changes.count)
            return image(scene, scene.decisions.map { $0.wayCount - 1 })
        case .random(let seed):
            var generator = CutGenerator(seed: seed)
            let scene = scene(journalEnd: generator.next(in: committed...changes.count))
            let inclination = generator.next(in: 0...2)
            return image(
                scene, scene.decisions.map { generator.way(of: $0.wayCount, inclination) })
        case .numbered(let number):
            return numbered(number)
        }
    }

    /// Finds the disk of this number: a digit for each decision, the first the fastest.
    private func numbered(_ number: Int) -> MemoryImage {
        var rest = number
        for journalEnd in journalEnds {
            let scene = scene(journalEnd: journalEnd)
            let count = wayCount(of: scene.decisions)
            if rest < count {
                var ways: [Int] = []
                for decision in scene.decisions {
                    ways.append(rest % decision.wayCount)
                    rest /= decision.wayCount
                }
                return image(scene, ways)
            }
            rest -= count
        }
        preconditionFailure("There are fewer than \(number) disks.")
    }

    private func wayCount(of decisions: [CrashDecision]) -> Int {
        decisions.reduce(1) { product, decision in
            let (next, overflow) = product.multipliedReportingOverflow(by: decision.wayCount)
            return overflow ? .max : next
        }
    }

    /// The prefixes of the journal that differ, each as a number of operations.
    private var journalEnds: [Int] {
        var ends = [committed]
        for index in committed..<changes.count where changes[index].isJournaled {
            ends.append(index + 1)
        }
        return ends
    }
}

/// From a prefix of the journal to a disk.
extension PossibleCuts {
    /// A disk's names, once the journal's end is known, and what is still to decide.
    private struct Scene {
        /// The names and attributes, with the bytes of files as they were in the beginning.
        var image: MemoryImage
        /// What is undecided about each file.
        var files: [UInt64: CrashFile]
        /// The same as a list, in an order that is always the same.
        var decisions: [CrashDecision]
        /// How many operations the journal covers.
        var journalEnd: Int
    }

    private func scene(journalEnd: Int) -> Scene {
        var image = base
        for change in changes[..<journalEnd] { image.apply(change) }
        image.dropNameless()
        var files: [UInt64: CrashFile] = [:]
        for node in image.nodes.values where node.kind == .regular {
            files[node.inode] = CrashFile(byteCount: node.content.byteCount)
        }
        for (index, change) in changes.enumerated() {
            switch change {
            case .write(let inode, _, _, _), .truncate(let inode, _, _),
                .punchHole(let inode, _, _), .syncFile(let inode, _):
                files[inode]?.follow(change, index, journalEnd: journalEnd)
            case .syncAll:
                for inode in files.keys {
                    files[inode]?.follow(change, index, journalEnd: journalEnd)
                }
            default: break
            }
        }
        return Scene(
            image: image, files: files, decisions: decisions(about: files), journalEnd: journalEnd)
    }

    private func decisions(about files: [UInt64: CrashFile]) -> [CrashDecision] {
        var decisions: [CrashDecision] = []
        for (inode, file) in files.sorted(by: { $0.key < $1.key }) {
            if file.sizes.count > 1 {
                decisions.append(
                    CrashDecision(subject: .size(inode: inode), wayCount: file.sizes.count))
            }
            for (index, writes) in file.writes.sorted(by: { $0.key < $1.key }) {
                decisions.append(
                    CrashDecision(
                        subject: .page(inode: inode, index: index), wayCount: writes.count + 1))
            }
        }
        return decisions
    }

    /// Carries out decisions.
    ///
    /// - Parameter ways: for each decision of the scene, which way it went.
    private func image(_ scene: Scene, _ ways: [Int]) -> MemoryImage {
        var image = scene.image
        let chosen = Dictionary(uniqueKeysWithValues: zip(scene.decisions.map(\.subject), ways))
        for (index, change) in changes.enumerated() {
            switch change {
            case .write(let inode, let pages, _, _):
                guard let file = scene.files[inode], index < file.end ?? .max else { continue }
                for page in pages {
                    let way = chosen[.page(inode: inode, index: page.index)] ?? 0
                    let isDurable = index < file.syncedAt
                    if isDurable || (way > 0 && file.writes[page.index]?[way - 1] == index) {
                        image.nodes[inode]?.content.write(
                            page.bytes.span, at: page.index * Int64(MemoryContent.pageByteCount))
                    }
                }
            case .truncate(let inode, let byteCount, _):
                guard let file = scene.files[inode], index < file.end ?? .max else { continue }
                image.nodes[inode]?.content.truncate(to: byteCount)
            case .punchHole(let inode, let pages, _):
                guard let file = scene.files[inode], index < file.end ?? .max,
                    index < scene.journalEnd
                else { continue }
                image.nodes[inode]?.content.punchHole(pages)
            default: break
            }
        }
        for (inode, file) in scene.files {
            let size = file.sizes[chosen[.size(inode: inode)] ?? 0]
            image.nodes[inode]?.content.truncate(to: size)
        }
        return image
    }
}

/// SplitMix64, so that a seed means the same cut on every machine.
private struct CutGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// Picks a way. Some cuts lose nearly all, some nearly nothing: a mistake often shows only
    /// when a single page of many is missing.
    ///
    /// - Parameter inclination: 0 to lose most, 1 to be even, 2 to keep most.
    mutating func way(of count: Int, _ inclination: Int) -> Int {
        if inclination != 1, next(in: 0...7) > 0 { return inclination == 0 ? 0 : count - 1 }
        return next(in: 0...(count - 1))
    }
}
