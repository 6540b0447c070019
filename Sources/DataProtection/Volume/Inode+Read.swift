internal import Cryptography
internal import Synchronization

extension Inode {
    /// Reads into a buffer.
    ///
    /// - Returns: how many bytes; less than the buffer's length only at the file's end.
    /// - Throws: `sealed`, `damaged`, `host`. What the buffer then holds is verified or zero.
    func read(
        into bytes: inout MutableSpan<UInt8>, at offset: Int64
    ) throws(ProtectionError) -> Int {
        guard offset >= 0 else { throw .invalidArgument("an offset is not negative") }
        while true {
            let count = try state.withSharedLock { state throws(ProtectionError) -> Int? in
                try core.requireHandle(of: state.header.protectionClass)
                let count = Int(max(0, min(Int64(bytes.count), state.size - offset)))
                guard count > 0 else { return 0 }
                guard state.key.isPresent else { return nil }
                try core.workspaces.use(
                    state.algorithm, for: state.header.fileIdentifier
                ) { workspace throws(ProtectionError) in
                    try state.prepare(&workspace)
                    try state.read(into: &bytes, count: count, at: offset, &workspace)
                }
                return count
            }
            if let count { return count }
            try bringKey()
        }
    }

    /// Unwraps the key that an earlier lock took, if the state now allows it.
    private func bringKey() throws(ProtectionError) {
        try state.withLock { state throws(ProtectionError) in
            try core.requireHandle(of: state.header.protectionClass)
            try state.requireKey(core)
        }
    }
}

extension Inode.State {
    /// The number of the last page.
    var lastPage: Int64 { PageLayout.lastPage(forSize: size) }

    /// How much payload a page of this file has.
    func payloadByteCount(ofPage page: Int64) -> Int {
        Int(
            min(
                Int64(PageLayout.capacity(ofPage: page)),
                size - PageLayout.payloadStart(ofPage: page)))
    }

    /// Reads `count` bytes that the file has, a run of pages for each host call.
    fileprivate func read(
        into bytes: inout MutableSpan<UInt8>, count: Int, at offset: Int64,
        _ workspace: inout Workspace
    ) throws(ProtectionError) {
        let end = offset + Int64(count)
        var page = PageLayout.page(holding: offset)
        var last = PageLayout.page(holding: end - 1)
        if recall(page, into: &bytes, range: offset..<end) {
            page += 1
            if page == last, try openAhead(page, &workspace, into: &bytes, range: offset..<end) {
                return
            }
        }
        if last > page, recall(last, into: &bytes, range: offset..<end) { last -= 1 }
        guard page <= last else { return }
        var pages = workspace.takePages()
        defer { workspace.give(&pages) }
        while page <= last {
            let runCount = Int(min(last - page + 1, Int64(Workspace.pageCount)))
            try fetch(page: page, count: runCount, into: &pages)
            for index in 0..<runCount {
                let start = index * PageLayout.pageByteCount
                try open(
                    pages.span.extracting(start..<start + PageLayout.pageByteCount),
                    page: page + Int64(index), &workspace, into: &bytes, range: offset..<end)
            }
            page += Int64(runCount)
        }
    }

    /// Reads host pages.
    private func fetch(
        page: Int64, count: Int, into pages: inout [UInt8]
    ) throws(ProtectionError) {
        let byteCount = count * PageLayout.pageByteCount
        var span = pages.mutableSpan
        var run = span._mutatingExtracting(0..<byteCount)
        let readCount: Int
        do throws(HostError) {
            readCount = try file.read(into: &run, at: PageLayout.hostOffset(ofPage: page))
        } catch {
            throw ProtectionError(error)
        }
        guard readCount == byteCount else {
            throw .damaged("page \(page + Int64(readCount / PageLayout.pageByteCount)) is missing")
        }
    }

    /// Which part of a page's payload lies in `range`, and where it goes.
    private func share(
        ofPage page: Int64, in range: Range<Int64>
    ) -> (source: Range<Int>, target: Range<Int>) {
        let start = PageLayout.payloadStart(ofPage: page)
        let end = start + Int64(payloadByteCount(ofPage: page))
        let wanted = max(range.lowerBound, start)..<min(range.upperBound, end)
        return (
            Int(wanted.lowerBound - start)..<Int(wanted.upperBound - start),
            Int(wanted.lowerBound - range.lowerBound)..<Int(wanted.upperBound - range.lowerBound)
        )
    }

    /// Copies what lies in `range` of a page that is remembered.
    ///
    /// - Returns: whether it is.
    private func recall(
        _ page: Int64, into bytes: inout MutableSpan<UInt8>, range: Range<Int64>
    ) -> Bool {
        guard let memory else { return false }
        let (source, target) = share(ofPage: page, in: range)
        return memory.copy(source, ofPage: page, into: &bytes, at: target.lowerBound)
    }

    /// Opens one page out of a run of host pages that is read ahead, where read follows read.
    ///
    /// - Returns: whether they do, and the run could be read.
    private func openAhead(
        _ page: Int64, _ workspace: inout Workspace, into bytes: inout MutableSpan<UInt8>,
        range: Range<Int64>
    ) throws(ProtectionError) -> Bool {
        guard let memory, var (host, pages) = memory.takeAhead() else { return false }
        defer { memory.giveAhead(&host, pages) }
        if !pages.contains(page) {
            pages = 0..<0
            let count = Int(min(lastPage - page + 1, Int64(PageMemory.aheadPageCount)))
            // What is wrong with a later page is for those to hear who read it.
            guard (try? fetch(page: page, count: count, into: &host)) != nil else { return false }
            pages = page..<page + Int64(count)
        }
        let start = Int(page - pages.lowerBound) * PageLayout.pageByteCount
        try open(
            host.span.extracting(start..<start + PageLayout.pageByteCount), page: page, &workspace,
            into: &bytes, range: range)
        return true
    }

    /// Opens one page and copies what of it lies in `range`.
    private func open(
        _ host: Span<UInt8>, page: Int64, _ workspace: inout Workspace,
        into bytes: inout MutableSpan<UInt8>, range: Range<Int64>
    ) throws(ProtectionError) {
        let (source, target) = share(ofPage: page, in: range)
        if target.count == PageLayout.capacity(ofPage: page) {
            var destination = bytes._mutatingExtracting(target)
            try openPage(host, page: page, &workspace, into: &destination)
            return
        }
        var payload = workspace.takePayload()
        defer { workspace.give(payload: &payload) }
        try openPage(host, page: page, &workspace, into: &payload)
        ByteCopy.copy(payload.span.extracting(source), into: &bytes, at: target.lowerBound)
        memory?.keep(&payload, ofPage: page, isNew: false)
    }

    /// Opens one page into a payload buffer.
    private func openPage(
        _ host: Span<UInt8>, page: Int64, _ workspace: inout Workspace, into payload: inout [UInt8]
    ) throws(ProtectionError) {
        var span = payload.mutableSpan
        var whole = span._mutatingExtracting(0..<PageLayout.capacity(ofPage: page))
        try openPage(host, page: page, &workspace, into: &whole)
    }

    /// Opens one page; a hole of a sparse file is zeros.
    private func openPage(
        _ host: Span<UInt8>, page: Int64, _ workspace: inout Workspace,
        into payload: inout MutableSpan<UInt8>
    ) throws(ProtectionError) {
        if page > 0, PageCodec.isHole(host) {
            guard header.isSparse, page < lastPage else {
                throw .damaged("page \(page) is missing")
            }
            Wipe.zero(&payload)
            return
        }
        let expected = PageWord(
            payloadByteCount: payloadByteCount(ofPage: page), isLast: page == lastPage)
        guard let word = PageCodec.word(page: page, host: host), word == expected else {
            throw .damaged("page \(page) is damaged")
        }
        do throws(CryptographyError) {
            try PageCodec.open(
                host, page: page, word: word, context: workspace.context,
                associatedData: &workspace.associatedData, into: &payload)
        } catch .authenticationFailed {
            throw .damaged("page \(page) is damaged")
        } catch {
            throw ProtectionError(error)
        }
    }

    /// Reads one page's payload, for instance before a part of it is changed.
    func readPayload(
        ofPage page: Int64, _ workspace: inout Workspace, into payload: inout [UInt8]
    ) throws(ProtectionError) {
        if let memory {
            var span = payload.mutableSpan
            let whole = 0..<PageLayout.capacity(ofPage: page)
            if memory.copy(whole, ofPage: page, into: &span, at: 0) { return }
        }
        var host = workspace.takeOldPage()
        defer { workspace.give(oldPage: &host) }
        try fetch(page: page, count: 1, into: &host)
        try openPage(host.span, page: page, &workspace, into: &payload)
    }
}
