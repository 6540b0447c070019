import DataProtection
import SimulatedDevice
import TestSupport

/// A workload that ran on a store whose power can be cut, with what was promised on the way.
struct CutRun {
    let store: CrashingStore
    var volume: ProtectedVolume
    var model = CutModel()
    /// What was done.
    private(set) var operations: [CutOperation] = []
    private var fill = 0

    init(rule: CommitRule) throws {
        store = CrashingStore(ProofVolume.open.image, commitRule: rule)
        volume = try ProtectedVolume.open(store, deviceKey: ProofVolume.open.deviceKey)
        model.syncsCommitAll = rule == .wholeJournal
    }

    /// Goes on with what a power cut left.
    init(after image: MemoryImage, rule: CommitRule) throws {
        store = CrashingStore(image, commitRule: rule)
        volume = try ProtectedVolume.open(store, deviceKey: ProofVolume.open.deviceKey)
        model = CutModel(try CutObservation(volume))
        fill = 60 + store.operationCount % 97
        model.syncsCommitAll = rule == .wholeJournal
    }

    /// Does random things.
    static func random(
        seed: UInt64, count: Int, rule: CommitRule
    ) throws -> CutRun {
        var run = try CutRun(rule: rule)
        try run.performRandomly(seed: seed, count: count)
        return run
    }

    /// Does random things.
    mutating func performRandomly(seed: UInt64, count: Int) throws {
        var generator = SeededGenerator(seed: seed)
        while operations.count < count {
            let model = model
            let operation = CutOperation.random(
                in: model.tree, sizes: { model.files[$0].last!.content.count },
                using: &generator)
            try perform(operation)
        }
    }

    /// Does what a list says; what makes no sense is left out.
    static func list(_ operations: [CutOperation], rule: CommitRule) throws -> CutRun {
        var run = try CutRun(rule: rule)
        for operation in operations { try run.perform(operation) }
        return run
    }

    /// Bytes that are never zero, and differ from operation to operation and place to place.
    mutating func bytes(_ count: Int) -> [UInt8] {
        fill += 1
        let pattern = (0..<251).map { UInt8(($0 * 7 + fill * 31) % 255 + 1) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 251)
        while bytes.count < count { bytes.append(contentsOf: pattern) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Does one thing, and notes what it changes and promises.
    mutating func perform(_ operation: CutOperation) throws {
        guard makesSense(operation) else { return }
        operations.append(operation)
        let start = store.operationCount
        switch operation {
        case .create(let path, let asked):
            try volume.openFile(path, [.readWrite, .create, .exclusive], class: asked).close()
            let state = try state(from: start, path, content: [])
            model.addFile(path, state)
        case .write, .append, .truncate, .rewrite, .syncFile, .punchHole:
            try performOnFile(operation, start)
        case .syncFolder(let path):
            try volume.synchronizeFolder(path)
            model.promiseNames(of: path, at: store.operationCount)
        case .makeFolder(let path, let asked):
            try volume.makeFolder(path, class: asked)
            let given = try volume.protectionClass(of: path)
            model.addFolder(path, start...store.operationCount, class: given)
        case .removeFolder(let path):
            try volume.removeFolder(path)
            model.changeNames(
                start...store.operationCount, in: [CutTree.parent(of: path)]
            ) { $0.folders[path] = nil }
        case .setClass(let path, let asked):
            try setClass(of: path, asked, start)
        case .remove(let path):
            try volume.removeFile(path)
            model.changeNames(
                start...store.operationCount, in: [CutTree.parent(of: path)]
            ) { $0.files[path] = nil }
        case .rename(let path, let target):
            try rename(path, target, start)
        case .restart:
            try volume.close()
            model.promiseAll(start...store.operationCount)
            volume = try ProtectedVolume.open(store, deviceKey: ProofVolume.open.deviceKey)
        case .replace(let path, let count, let asked):
            try replace(path, bytes(count), asked, start)
        case .exchange(let path, let other): try exchange(path, other, start)
        case .link(let path, let target):
            let before = model.state(of: path)
            try volume.link(path, to: target)
            let span = start...store.operationCount
            try noteRaise(of: target, from: before, span, knownAs: path)
            model.changeNames(span, in: [CutTree.parent(of: target)]) {
                $0.files[target] = $0.files[path]
            }
        case .setMode(let path, let mode):
            try volume.setAttributes(AttributeChange(mode: mode), of: path)
        }
    }

    private func makesSense(_ operation: CutOperation) -> Bool {
        let tree = model.tree
        switch operation {
        case .create(let path, _), .replace(let path, _, _):
            return tree.folders[path] == nil && tree.folders[CutTree.parent(of: path)] != nil
                && (tree.files[path] == nil || !isCreate(operation))
        case .write(let path, _, _), .append(let path, _), .truncate(let path, _),
            .rewrite(let path, _), .syncFile(let path), .remove(let path), .setMode(let path, _):
            return tree.files[path] != nil
        case .punchHole(let path, let offset, _):
            return tree.files[path].map { model.files[$0].last!.content.count > offset } ?? false
        case .exchange(let path, let other):
            return tree.has(path) && tree.has(other) && path != other
                && tree.files[path] ?? -1 != tree.files[other] ?? -2
                && !path.hasPrefix(other + "/") && !other.hasPrefix(path + "/")
        case .link(let path, let target):
            return tree.files[path] != nil && !tree.has(target)
                && tree.folders[CutTree.parent(of: target)] != nil
        case .restart: return true
        case .syncFolder(let path): return tree.folders[path] != nil
        case .makeFolder(let path, _):
            return tree.folders[path] == nil && tree.files[path] == nil
                && tree.folders[CutTree.parent(of: path)] != nil
        case .removeFolder(let path):
            return !path.isEmpty && tree.folders[path] != nil && tree.isEmpty(path)
        case .setClass(let path, _):
            return tree.files[path] != nil || tree.folders[path] != nil
        case .rename(let path, let target):
            guard tree.folders[CutTree.parent(of: target)] != nil else { return false }
            // Two names of one file stay two.
            if let file = tree.files[path] {
                return tree.folders[target] == nil && tree.files[target] != file
            }
            return tree.folders[path] != nil && tree.files[target] == nil && path != target
                && (tree.folders[target] == nil || tree.isEmpty(target))
                && !target.hasPrefix(path + "/")
        }
    }

    private func isCreate(_ operation: CutOperation) -> Bool {
        if case .create = operation { true } else { false }
    }
}
