internal import Cryptography
internal import Synchronization

/// Holes and reserved space. See: 'man 2 fallocate', 'man 2 lseek'.
extension Inode {
    /// Sets space aside on the host, so that writing there cannot fail for want of it.
    ///
    /// - Parameters:
    ///   - range: in bytes of the file.
    ///   - keepsSize: whether a range behind the end leaves the size as it is.
    func allocate(_ range: Range<Int64>, keepsSize: Bool) throws(ProtectionError) {
        try changeSpace(range) { state, workspace throws(ProtectionError) in
            let first = PageLayout.hostOffset(ofPage: PageLayout.page(holding: range.lowerBound))
            let end = PageLayout.hostOffset(
                ofPage: PageLayout.page(holding: range.upperBound - 1) + 1)
            let file = state.file
            try onHost { () throws(HostError) in try file.allocate(first..<end) }
            if !keepsSize, range.upperBound > state.size {
                try state.extend(to: range.upperBound, core, &workspace)
            }
        }
    }

    /// Gives the space of a range back: it reads as zeros then. The size stays.
    func punchHole(_ range: Range<Int64>) throws(ProtectionError) {
        try changeSpace(range) { state, workspace throws(ProtectionError) in
            try state.clear(range, core, &workspace)
        }
    }

    /// Makes a range read as zeros.
    ///
    /// - Parameter keepsSize: whether a range behind the end leaves the size as it is.
    func zeroRange(_ range: Range<Int64>, keepsSize: Bool) throws(ProtectionError) {
        try changeSpace(range) { state, workspace throws(ProtectionError) in
            try state.clear(range, core, &workspace)
            if !keepsSize, range.upperBound > state.size {
                try state.extend(to: range.upperBound, core, &workspace)
            }
        }
    }

    private func changeSpace(
        _ range: Range<Int64>,
        _ body: (inout State, inout Workspace) throws(ProtectionError) -> Void
    ) throws(ProtectionError) {
        guard range.lowerBound >= 0, !range.isEmpty,
            range.upperBound <= FileLimits.byteCountMaximum
        else { throw .invalidArgument("the range is empty, negative or too large") }
        try state.withLock { state throws(ProtectionError) in
            try core.requireHandle(of: state.header.protectionClass)
            try core.session.beginWriting(core.keyring)
            try state.requireKey(core)
            try core.workspaces.use(
                state.algorithm, for: state.header.fileIdentifier
            ) { workspace throws(ProtectionError) in
                try state.prepare(&workspace)
                try body(&state, &workspace)
            }
        }
    }

    /// Where data begins from an offset on.
    ///
    /// - Returns: `nil` at the end of the file or behind it.
    func nextData(from offset: Int64) throws(ProtectionError) -> Int64? {
        try withSize(offset) { state throws(ProtectionError) in try state.nextData(from: offset) }
    }

    /// Where the next hole begins from an offset on; the end of the file counts as one.
    ///
    /// - Returns: `nil` at the end of the file or behind it.
    func nextHole(from offset: Int64) throws(ProtectionError) -> Int64? {
        try withSize(offset) { state throws(ProtectionError) in try state.nextHole(from: offset) }
    }

    /// Runs a look at where data is. It needs no key: a page of zeros is a hole, whoever looks.
    private func withSize(
        _ offset: Int64, _ body: (borrowing State) throws(ProtectionError) -> Int64
    ) throws(ProtectionError) -> Int64? {
        guard offset >= 0 else { throw .invalidArgument("an offset is not negative") }
        return try state.withSharedLock { state throws(ProtectionError) in
            try core.requireHandle(of: state.header.protectionClass)
            return offset < state.size ? try body(state) : nil
        }
    }
}

extension Inode.State {
    /// Where data begins from an offset inside the file on; the last page is data.
    borrowing func nextData(from offset: Int64) throws(ProtectionError) -> Int64 {
        guard header.isSparse else { return offset }
        let file = file
        var page = PageLayout.page(holding: offset)
        while page < lastPage, try isHole(page) {
            let next = PageLayout.hostOffset(ofPage: page + 1)
            let data = try onHost { () throws(HostError) in try file.nextData(from: next) }
            page = data.map { max(page + 1, $0 / Int64(PageLayout.pageByteCount)) } ?? lastPage
        }
        return max(offset, PageLayout.payloadStart(ofPage: min(page, lastPage)))
    }

    /// Where a hole begins from an offset inside the file on; the end of the file counts as one.
    borrowing func nextHole(from offset: Int64) throws(ProtectionError) -> Int64 {
        guard header.isSparse else { return size }
        let file = file
        var page = PageLayout.page(holding: offset)
        while page < lastPage {
            if try isHole(page) { return max(offset, PageLayout.payloadStart(ofPage: page)) }
            let place = PageLayout.hostOffset(ofPage: page)
            // A host that cannot tell has every page looked at.
            let hole = try onHost { () throws(HostError) in try file.nextHole(from: place) }
            page = hole.map { max(page + 1, $0 / Int64(PageLayout.pageByteCount)) } ?? page + 1
        }
        return size
    }

    /// Whether a page that is not the last is a hole.
    borrowing func isHole(_ page: Int64) throws(ProtectionError) -> Bool {
        guard page > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        var span = bytes.mutableSpan
        let file = file
        do {
            _ = try file.read(into: &span, at: PageLayout.hostOffset(ofPage: page))
        } catch {
            throw ProtectionError(error)
        }
        return PageCodec.isHole(bytes.span)
    }

    /// Makes a range inside the file read as zeros: whole pages become holes, parts are written.
    fileprivate mutating func clear(
        _ range: Range<Int64>, _ core: VolumeCore, _ workspace: inout Workspace
    ) throws(ProtectionError) {
        let range = range.clamped(to: 0..<max(size, range.lowerBound))
        guard range.lowerBound < size else { return }
        // Page 0 has the header, and the last one says where the file ends.
        let firstWhole = max(1, PageLayout.page(holding: range.lowerBound - 1) + 1)
        let endWhole = min(lastPage, PageLayout.page(holding: range.upperBound))
        guard firstWhole < endWhole else { return try writeZeros(range, core, &workspace) }
        let holes =
            PageLayout.payloadStart(
                ofPage: firstWhole)..<PageLayout.payloadStart(
                ofPage: endWhole)
        try writeZeros(range.lowerBound..<holes.lowerBound, core, &workspace)
        try writeZeros(holes.upperBound..<range.upperBound, core, &workspace)
        if !header.isSparse { try becomeSparse(&workspace) }
        memory?.forgetAll()
        let file = file
        do throws(HostError) {
            try file.punchHole(
                PageLayout.hostOffset(ofPage: firstWhole)..<PageLayout.hostOffset(ofPage: endWhole))
        } catch {
            guard error.code == HostError.notSupported else { throw ProtectionError(error) }
            // What is a hole already stays one: it may be many terabytes.
            var offset = try nextData(from: holes.lowerBound)
            while offset < holes.upperBound {
                let end = min(holes.upperBound, try nextHole(from: offset))
                try writeZeros(offset..<end, core, &workspace)
                offset = end < holes.upperBound ? try nextData(from: end) : end
            }
        }
    }

    private mutating func writeZeros(
        _ range: Range<Int64>, _ core: VolumeCore, _ workspace: inout Workspace
    ) throws(ProtectionError) {
        let zeros = [UInt8](repeating: 0, count: min(range.count, 1 << 18))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(Int64(zeros.count), range.upperBound - offset))
            try write(zeros.span.extracting(first: count), at: offset, core, &workspace)
            offset += Int64(count)
        }
    }
}
