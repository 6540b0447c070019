internal import Cryptography
internal import Synchronization

extension Inode {
    /// Writes all of `bytes`; grows the file where needed.
    ///
    /// - Parameter offset: where to begin, in bytes; `nil` appends at the end.
    /// - Parameter isWriteBack: whether it was accepted before the gate closed, so that only a key
    ///   that is gone keeps it out.
    /// - Returns: where it was written.
    /// - Throws: `sealed`, `damaged`, `noSpace`, `host`. Each page then has its old or its new
    ///   content, and the size is the old one.
    @discardableResult
    func write(
        _ bytes: Span<UInt8>, at offset: Int64?, isWriteBack: Bool = false
    ) throws(ProtectionError) -> Int64 {
        try state.withLock { state throws(ProtectionError) in
            if !isWriteBack || !state.key.isPresent {
                try core.requireHandle(of: state.header.protectionClass)
            }
            let offset = offset ?? state.size
            guard offset >= 0, offset <= FileLimits.byteCountMaximum - Int64(bytes.count) else {
                throw .invalidArgument("the file would be too large")
            }
            guard !bytes.isEmpty else { return offset }
            try core.session.beginWriting(core.keyring)
            try state.requireKey(core)
            try core.workspaces.use(
                state.algorithm, for: state.header.fileIdentifier
            ) { workspace throws(ProtectionError) in
                try state.prepare(&workspace)
                let oldSize = state.size
                if offset > oldSize { try state.extend(to: offset, core, &workspace) }
                do throws(ProtectionError) {
                    try state.write(bytes, at: offset, core, &workspace)
                } catch {
                    // Zeros alone, without the bytes behind them, are not what was asked for.
                    if offset > oldSize, oldSize > 0 {
                        try? state.shrink(to: oldSize, core, &workspace)
                    } else if offset > oldSize {
                        try? state.empty(core)
                    }
                    throw error
                }
            }
            return offset
        }
    }
}

/// The largest a file can be.
enum FileLimits {
    /// In bytes; every page offset of it still fits a host offset.
    static let byteCountMaximum: Int64 = 1 << 62
}

extension Inode.State {
    /// Writes bytes that begin inside the file, or right at its end.
    mutating func write(
        _ bytes: Span<UInt8>, at offset: Int64, _ core: VolumeCore, _ workspace: inout Workspace
    ) throws(ProtectionError) {
        let end = offset + Int64(bytes.count)
        let oldLast = lastPage
        let change = PageChange(
            bytes: bytes, offset: offset, oldSize: size, newSize: max(size, end))
        let first = PageLayout.page(holding: offset)
        let last = PageLayout.page(holding: end - 1)
        guard change.lastPage > oldLast else {
            try writeRun(first...last, change, &workspace)
            size = change.newSize
            return
        }
        // New pages first, then the old last page without its flag: a crash between leaves the old
        // end.
        do throws(ProtectionError) {
            try writeRun(max(first, oldLast + 1)...last, change, &workspace)
            try writeRun(min(first, oldLast)...oldLast, change, &workspace)
        } catch {
            cutBehind(oldLast, core)
            throw error
        }
        size = change.newSize
    }

    /// Removes host pages behind the last one, after a write that failed.
    func cutBehind(_ page: Int64, _ core: VolumeCore) {
        memory?.forgetAll()
        do {
            try file.truncate(to: PageLayout.hostOffset(ofPage: page + 1))
        } catch {
            core.session.stayUnclean()
        }
    }

    /// Seals and writes a run of pages, up to a buffer at a time.
    func writeRun(
        _ range: ClosedRange<Int64>, _ change: borrowing PageChange,
        _ workspace: inout Workspace
    ) throws(ProtectionError) {
        do throws(ProtectionError) {
            try writePages(range, change, &workspace)
        } catch {
            // What is remembered may be what was not written.
            memory?.forgetAll()
            throw error
        }
    }

    private func writePages(
        _ range: ClosedRange<Int64>, _ change: borrowing PageChange,
        _ workspace: inout Workspace
    ) throws(ProtectionError) {
        var pages = workspace.takePages()
        defer { workspace.give(&pages) }
        var page = range.lowerBound
        while page <= range.upperBound {
            let count = Int(min(range.upperBound - page + 1, Int64(Workspace.pageCount)))
            try sealRun(page, count: count, change, &workspace, into: &pages)
            do throws(HostError) {
                try file.write(
                    pages.span.extracting(0..<count * PageLayout.pageByteCount),
                    at: PageLayout.hostOffset(ofPage: page))
            } catch {
                throw ProtectionError(error)
            }
            page += Int64(count)
        }
    }

    /// Seals a run of pages into a buffer.
    private func sealRun(
        _ page: Int64, count: Int, _ change: borrowing PageChange, _ workspace: inout Workspace,
        into pages: inout [UInt8]
    ) throws(ProtectionError) {
        var nonces = workspace.takeNonces(count)
        defer { workspace.give(nonces: &nonces) }
        var span = pages.mutableSpan
        for index in 0..<count {
            let start = index * PageLayout.pageByteCount
            let nonceStart = index * AEADAlgorithm.nonceByteCount
            var host = span._mutatingExtracting(start..<start + PageLayout.pageByteCount)
            try seal(
                page + Int64(index), change,
                nonce: nonces.span.extracting(
                    nonceStart..<nonceStart + AEADAlgorithm.nonceByteCount),
                &workspace, into: &host)
        }
        if page == 0 { ByteCopy.copy(headerBytes.span, into: &span, at: 0) }
    }

    /// Seals one page.
    private func seal(
        _ page: Int64, _ change: borrowing PageChange, nonce: Span<UInt8>,
        _ workspace: inout Workspace, into host: inout MutableSpan<UInt8>
    ) throws(ProtectionError) {
        let start = PageLayout.payloadStart(ofPage: page)
        let capacity = PageLayout.capacity(ofPage: page)
        let covered = change.covered(from: start, capacity: capacity)
        let word = change.word(ofPage: page)
        if covered.count == capacity {
            memory?.forget(page)
            try seal(
                change.bytes.extracting(covered), page: page, word, nonce: nonce, &workspace,
                into: &host)
            return
        }
        var payload = workspace.takePayload()
        defer { workspace.give(payload: &payload) }
        // What the page keeps of its old payload has to be read first, if there is any.
        let oldCount = Int(max(0, min(Int64(capacity), change.oldSize - start)))
        let target = Int(change.offset + Int64(covered.lowerBound) - start)
        if oldCount > 0, target > 0 || covered.count < oldCount {
            try readPayload(ofPage: page, &workspace, into: &payload)
        }
        if !covered.isEmpty {
            var span = payload.mutableSpan
            ByteCopy.copy(change.bytes.extracting(covered), into: &span, at: target)
        }
        try seal(
            payload.span.extracting(0..<capacity), page: page, word, nonce: nonce, &workspace,
            into: &host)
        memory?.keep(&payload, ofPage: page, isNew: true)
    }

    private func seal(
        _ payload: Span<UInt8>, page: Int64, _ word: PageWord, nonce: Span<UInt8>,
        _ workspace: inout Workspace, into host: inout MutableSpan<UInt8>
    ) throws(ProtectionError) {
        do throws(CryptographyError) {
            try PageCodec.seal(
                payload, page: page, word: word, nonce: nonce, context: workspace.context,
                associatedData: &workspace.associatedData, into: &host)
        } catch {
            throw ProtectionError(error)
        }
    }
}

/// A write, as its pages see it.
struct PageChange: ~Escapable {
    /// What is written.
    let bytes: Span<UInt8>
    /// Where it begins in the file.
    let offset: Int64
    /// The file's size before.
    let oldSize: Int64
    /// The file's size afterwards.
    let newSize: Int64

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, offset: Int64, oldSize: Int64, newSize: Int64) {
        self.bytes = bytes
        self.offset = offset
        self.oldSize = oldSize
        self.newSize = newSize
    }

    /// The last page afterwards.
    var lastPage: Int64 { PageLayout.lastPage(forSize: newSize) }

    /// The word that a page has afterwards.
    func word(ofPage page: Int64) -> PageWord {
        let left = newSize - PageLayout.payloadStart(ofPage: page)
        return PageWord(
            payloadByteCount: Int(min(left, Int64(PageLayout.capacity(ofPage: page)))),
            isLast: page == lastPage)
    }

    /// Which of the bytes lie in a page.
    func covered(from start: Int64, capacity: Int) -> Range<Int> {
        let lower = max(start, offset)
        let upper = min(start + Int64(capacity), offset + Int64(bytes.count))
        guard lower < upper else {
            let nothing = Int(max(0, min(Int64(bytes.count), start - offset)))
            return nothing..<nothing
        }
        return Int(lower - offset)..<Int(upper - offset)
    }
}
