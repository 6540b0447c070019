import DataProtection

extension CutRun {
    func state(
        from start: Int, _ path: String, content: [UInt8]
    ) throws -> CutFileState {
        CutFileState(
            span: start...store.operationCount, content: content,
            protectionClass: try volume.protectionClass(of: path) ?? .none)
    }

    mutating func performOnFile(_ operation: CutOperation, _ start: Int) throws {
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
        case .punchHole(let path, let offset, let count):
            try withFile(path) { file throws(ProtectionError) in
                try file.punchHole(Int64(offset)..<Int64(offset + count))
            }
            try note(path, start, punches: true) { content in
                let end = min(content.count, offset + count)
                let zeros = [UInt8](repeating: 0, count: max(0, end - offset))
                content.replaceSubrange(offset..<max(offset, end), with: zeros)
            }
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

    mutating func note(
        _ path: String, _ start: Int, acknowledged: Bool = false, punches: Bool = false,
        _ change: (inout [UInt8]) -> Void
    ) throws {
        let before = model.state(of: path)
        var state = try state(from: start, path, content: before.content)
        change(&state.content)
        let pages = 1 + (state.content.count - before.content.count) / 4052
        state.isSparse = before.isSparse && !state.content.isEmpty || pages >= 16 || punches
        state.isAcknowledged = acknowledged
        state.isClassAcknowledged = acknowledged
        model.change(path, state)
    }

    mutating func setClass(of path: String, _ asked: ProtectionClass, _ start: Int) throws {
        try volume.setProtectionClass(asked, of: path)
        if model.tree.folders[path] != nil {
            model.setFolderClass(path, start...store.operationCount, class: asked)
        } else if model.state(of: path).protectionClass != asked {
            try note(path, start, acknowledged: true) { _ in }
        }
    }

    mutating func rename(_ path: String, _ target: String, _ start: Int) throws {
        let folders = [CutTree.parent(of: path), CutTree.parent(of: target)]
        let isFile = model.tree.files[path] != nil
        let before = isFile ? model.state(of: path) : nil
        try volume.rename(path, to: target)
        let span = start...store.operationCount
        if let before { try noteRaise(of: target, from: before, span, knownAs: path) }
        // An empty folder changes places with the one that replaces it, and goes then: the name is
        // never missing.
        let replaced = isFile ? nil : model.tree.folders[target]
        model.changeNames(span, in: folders) { tree in
            tree.folders[target] = nil
            tree.move(path, to: target)
            if let replaced { tree.folders[path] = replaced }
        }
        if replaced != nil {
            model.changeNames(span, in: [folders[0]]) { $0.folders[path] = nil }
        }
    }

    /// Notes that a file that was renamed over another one has a stronger class: it got it durably
    /// before the name changed. The model still knows the file by the name that `state` is of.
    mutating func noteRaise(
        of found: String, from state: CutFileState, _ span: ClosedRange<Int>, knownAs path: String
    ) throws {
        let after = try volume.protectionClass(of: found) ?? .none
        guard after != state.protectionClass else { return }
        var raised = state
        raised.protectionClass = after
        raised.span = span
        raised.isAcknowledged = true
        raised.isClassAcknowledged = true
        model.change(path, raised)
    }

    mutating func exchange(_ path: String, _ other: String, _ start: Int) throws {
        let folders = [CutTree.parent(of: path), CutTree.parent(of: other)]
        let before = [path, other].map { name in
            model.tree.files[name] == nil ? nil : model.state(of: name)
        }
        try volume.rename(path, to: other, rule: .exchange)
        let span = start...store.operationCount
        if let state = before[0] { try noteRaise(of: other, from: state, span, knownAs: path) }
        if let state = before[1] { try noteRaise(of: path, from: state, span, knownAs: other) }
        model.changeNames(span, in: folders) { tree in
            tree.move(path, to: "\u{1}")
            tree.move(other, to: path)
            tree.move("\u{1}", to: other)
        }
    }

    mutating func replace(
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
