internal import Synchronization

/// A regular file of a memory store, held open.
final class MemoryStoreFile: BackingFile {
    private let node: MemoryNode
    private let store: MemoryStore
    private let name: String
    private let isWritable: Bool

    /// Opens an inode.
    init(_ node: MemoryNode, in store: MemoryStore, name: String, writable: Bool) {
        self.node = node
        self.store = store
        self.name = name
        isWritable = writable
    }

    func attributes() throws(HostError) -> HostAttributes {
        try store.willCall(.fileAttributes, name)
        return node.attributes(device: store.device)
    }

    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(HostError) -> Int {
        try store.willCall(.read, name)
        guard offset >= 0 else { throw HostError(code: HostError.invalidArgument, call: "pread") }
        return node.state.withLock { $0.content.read(into: &bytes, at: offset) }
    }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(HostError) {
        try store.willCall(.write, name)
        try check(offset, adding: bytes.count)
        if bytes.isEmpty { return }
        let range = offset..<(offset + Int64(bytes.count))
        let written = node.state.withLock { state in
            let end = reserve(range, in: state.content)
            if end == offset { return 0 }
            let time = store.time()
            let count = Int(end - offset)
            state.content.write(bytes.extracting(first: count), at: offset)
            state.status.touch(time, modifies: true)
            store.didChange(
                .write(
                    inode: node.inode, pages: Self.pages(offset..<end, of: state.content),
                    byteCount: state.content.byteCount, time: time))
            return count
        }
        if written < bytes.count { throw HostError(code: HostError.noSpace, call: "pwrite") }
    }

    func truncate(to byteCount: Int64) throws(HostError) {
        try store.willCall(.truncate, name)
        guard isWritable, byteCount >= 0 else {
            throw HostError(code: HostError.invalidArgument, call: "ftruncate")
        }
        guard byteCount <= MemoryContent.byteCountLimit else {
            throw HostError(code: HostError.fileTooLarge, call: "ftruncate")
        }
        node.state.withLock { state in
            let time = store.time()
            let before = state.content.pageCount
            state.content.truncate(to: byteCount)
            state.status.touch(time, modifies: true)
            store.usedSpace.give(
                (before - state.content.pageCount) * Int64(MemoryContent.pageByteCount))
            store.didChange(.truncate(inode: node.inode, byteCount: byteCount, time: time))
        }
    }

    func sync(everything: Bool) throws(HostError) {
        try store.willCall(.syncFile, name)
        node.state.withLock { _ in
            store.didChange(.syncFile(inode: node.inode, everything: everything))
        }
    }

    func nextData(from offset: Int64) throws(HostError) -> Int64? {
        try store.willCall(.nextData, name)
        return node.state.withLock { $0.content.nextData(from: offset) }
    }

    func nextHole(from offset: Int64) throws(HostError) -> Int64? {
        try store.willCall(.nextHole, name)
        return node.state.withLock { $0.content.nextHole(from: offset) }
    }

    func punchHole(_ range: Range<Int64>) throws(HostError) {
        try store.willCall(.punchHole, name)
        try HostRange.check(hole: range)
        if range.isEmpty { return }
        guard isWritable else { throw HostError(code: HostError.badDescriptor, call: "fallocate") }
        let pageByteCount = Int64(MemoryContent.pageByteCount)
        let pages = (range.lowerBound / pageByteCount)..<(range.upperBound / pageByteCount)
        node.state.withLock { state in
            let time = store.time()
            let before = state.content.pageCount
            state.content.punchHole(pages)
            state.status.touch(time, modifies: true)
            store.usedSpace.give((before - state.content.pageCount) * pageByteCount)
            store.didChange(.punchHole(inode: node.inode, pages: pages, time: time))
        }
    }

    /// Changes nothing that a power cut could show, so no change is told.
    func allocate(_ range: Range<Int64>) throws(HostError) {
        try store.willCall(.allocate, name)
        try HostRange.check(range)
        if range.isEmpty { return }
        guard isWritable else { throw HostError(code: HostError.badDescriptor, call: "fallocate") }
        guard range.upperBound <= MemoryContent.byteCountLimit else {
            throw HostError(code: HostError.fileTooLarge, call: "fallocate")
        }
        try node.state.withLock { (state) throws(HostError) in
            let missing = state.content.missingPageCount(in: range)
            guard store.usedSpace.takeAll(missing, of: Int64(MemoryContent.pageByteCount)) else {
                throw HostError(code: HostError.noSpace, call: "fallocate")
            }
            state.content.allocate(range)
            state.status.touch(store.time(), modifies: true)
        }
    }

    func setAttributes(_ change: HostAttributeChange) throws(HostError) {
        try store.willCall(.setFileAttributes, name)
        try node.apply(change, in: store)
    }

    var userAttributes: any BackingAttributes {
        MemoryUserAttributes(node: node, store: store, name: name)
    }

    private func check(_ offset: Int64, adding byteCount: Int) throws(HostError) {
        guard isWritable else { throw HostError(code: HostError.badDescriptor, call: "pwrite") }
        guard offset >= 0 else { throw HostError(code: HostError.invalidArgument, call: "pwrite") }
        guard offset <= MemoryContent.byteCountLimit - Int64(byteCount) else {
            throw HostError(code: HostError.fileTooLarge, call: "pwrite")
        }
    }

    /// Takes space for a write.
    ///
    /// - Returns: where the write must stop; before its end when the disk is full. As on a real
    ///   disk, the pages before that are written all the same.
    private func reserve(_ range: Range<Int64>, in content: MemoryContent) -> Int64 {
        if store.options.byteLimit == nil { return range.upperBound }
        let missing = content.missingPageCount(in: range)
        let taken = store.usedSpace.take(upTo: missing, of: Int64(MemoryContent.pageByteCount))
        return taken == missing ? range.upperBound : content.end(of: range, within: taken)
    }

    /// The pages that a write touched, as they stand now.
    private static func pages(
        _ range: Range<Int64>, of content: MemoryContent
    ) -> [MemoryPage] {
        let pageByteCount = Int64(MemoryContent.pageByteCount)
        let indices = (range.lowerBound / pageByteCount)...((range.upperBound - 1) / pageByteCount)
        return indices.map { MemoryPage(index: $0, bytes: content.page($0)) }
    }
}
