import DataProtection
import SimulatedDevice
import TestSupport

/// A workload that ran on a store whose power can be cut, with what was promised on the way.
struct CutRun {
    let store: CrashingStore
    private(set) var volume: ProtectedVolume
    private(set) var model = CutModel()
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
    private mutating func bytes(_ count: Int) -> [UInt8] {
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
        case .write, .append, .truncate, .rewrite, .syncFile:
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
        }
    }

    private func makesSense(_ operation: CutOperation) -> Bool {
        let tree = model.tree
        switch operation {
        case .create(let path, _), .replace(let path, _, _):
            return tree.folders[path] == nil && tree.folders[CutTree.parent(of: path)] != nil
                && (tree.files[path] == nil || !isCreate(operation))
        case .write(let path, _, _), .append(let path, _), .truncate(let path, _),
            .rewrite(let path, _), .syncFile(let path), .remove(let path):
            return tree.files[path] != nil
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
            if tree.files[path] != nil { return tree.folders[target] == nil && path != target }
            return tree.folders[path] != nil && tree.files[target] == nil && path != target
                && (tree.folders[target] == nil || tree.isEmpty(target))
                && !target.hasPrefix(path + "/")
        }
    }

    private func isCreate(_ operation: CutOperation) -> Bool {
        if case .create = operation { true } else { false }
    }
}

// MARK: - Files

extension CutRun {
    private func state(
        from start: Int, _ path: String, content: [UInt8]
    ) throws -> CutFileState {
        CutFileState(
            span: start...store.operationCount, content: content,
            protectionClass: try volume.protectionClass(of: path) ?? .none)
    }

    private mutating func performOnFile(_ operation: CutOperation, _ start: Int) throws {
        switch operation {
        case .write(let path, let offset, let count):
            let written = bytes(count)
            try withFile(path) { file throws(ProtectionError) in
                try file.write(written, at: Int64(offset))
            }
            try note(path, start) { $0.replace(at: offset, with: written) }
        case .append(let path, let count):
            let written = bytes(count)
            try withFile(path) { file throws(ProtectionError) in try file.append(written) }
            try note(path, start) { $0.append(contentsOf: written) }
        case .truncate(let path, let size):
            try withFile(path) { file throws(ProtectionError) in
                try file.truncate(to: Int64(size))
            }
            try note(path, start) { $0.resize(to: size) }
        case .rewrite(let path, let count):
            let written = bytes(count)
            let file = try volume.openFile(path, [.readWrite, .truncate])
            try note(path, start) { $0 = [] }
            let middle = store.operationCount
            try file.write(written, at: 0)
            file.close()
            try note(path, middle) { $0 = written }
        case .syncFile(let path):
            try withFile(path) { file throws(ProtectionError) in try file.synchronize() }
            try note(path, start, acknowledged: true) { _ in }
        default: break
        }
    }

    private func withFile(
        _ path: String, _ body: (ProtectedFile) throws(ProtectionError) -> Void
    ) throws(ProtectionError) {
        let file = try volume.openFile(path, .readWrite)
        defer { file.close() }
        try body(file)
    }

    private mutating func note(
        _ path: String, _ start: Int, acknowledged: Bool = false,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        let before = model.state(of: path)
        var state = try state(from: start, path, content: before.content)
        change(&state.content)
        let pages = 1 + (state.content.count - before.content.count) / 4052
        state.isSparse = before.isSparse && !state.content.isEmpty || pages >= 16
        state.isAcknowledged = acknowledged
        state.isClassAcknowledged = acknowledged
        model.change(path, state)
    }

    private mutating func setClass(of path: String, _ asked: ProtectionClass, _ start: Int) throws {
        try volume.setProtectionClass(asked, of: path)
        if model.tree.folders[path] != nil {
            model.setFolderClass(path, start...store.operationCount, class: asked)
        } else if model.state(of: path).protectionClass != asked {
            try note(path, start, acknowledged: true) { _ in }
        }
    }

    private mutating func rename(_ path: String, _ target: String, _ start: Int) throws {
        let folders = [CutTree.parent(of: path), CutTree.parent(of: target)]
        let isFile = model.tree.files[path] != nil
        let before = isFile ? model.state(of: path) : nil
        try volume.rename(path, to: target)
        let span = start...store.operationCount
        if let before {
            let after = try volume.protectionClass(of: target) ?? .none
            if after != before.protectionClass {
                // The class is raised durably before the name changes.
                var raised = before
                raised.protectionClass = after
                raised.span = span
                raised.isAcknowledged = true
                raised.isClassAcknowledged = true
                model.change(path, raised)
            }
        }
        if !isFile, model.tree.folders[target] != nil {
            model.changeNames(span, in: [folders[1]]) { $0.folders[target] = nil }
        }
        model.changeNames(span, in: folders) { $0.move(path, to: target) }
    }

    private mutating func replace(
        _ path: String, _ content: [UInt8], _ asked: ProtectionClass?, _ start: Int
    ) throws {
        try volume.write(content, to: path, class: asked)
        var state = try state(from: start, path, content: content)
        state.isAcknowledged = true
        state.isClassAcknowledged = true
        // It is whole whenever it is there: the promise holds from its birth.
        state.span = start...start
        model.addFile(path, state)
        model.endNames(at: store.operationCount)
        model.promiseNames(of: CutTree.parent(of: path), at: store.operationCount)
    }
}

extension [UInt8] {
    /// Replaces bytes, and puts zeros between the end and the place if needed.
    mutating func replace(at offset: Int, with bytes: [UInt8]) {
        if count < offset { resize(to: offset) }
        let end = Swift.min(count, offset + bytes.count)
        replaceSubrange(offset..<end, with: bytes)
    }

    /// Cuts, or extends with zeros.
    mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) }
        append(contentsOf: [UInt8](repeating: 0, count: size - count))
    }
}
