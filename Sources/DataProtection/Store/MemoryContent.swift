/// A file's bytes in memory: chunks of 256 KiB, where a missing chunk is a hole.
///
/// It is a value. A copy shares its chunks until one of the two is written.
package struct MemoryContent: Sendable {
    /// The size of a chunk, in bytes.
    static let chunkByteCount = 262_144
    /// The size of a page, in bytes: the unit of space, and of what a power cut loses.
    package static let pageByteCount = 4096
    /// The largest file, in bytes. ext4 ends at the same size.
    static let byteCountLimit: Int64 = 1 << 44

    /// The file's size, in bytes.
    package private(set) var byteCount: Int64 = 0
    /// How many pages occupy space: those that were written or set aside, and not given back since.
    package private(set) var pageCount: Int64 = 0
    private var chunks: [MemoryChunk?] = []

    /// Makes an empty file.
    package init() {}

    /// Reads until `bytes` is full or the file ends.
    ///
    /// - Parameter offset: where to begin, in bytes.
    /// - Returns: how many bytes were read.
    package func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) -> Int {
        if offset >= byteCount { return 0 }
        let total = min(bytes.count, Int(byteCount - offset))
        var done = 0
        while done < total {
            let (index, start) = Self.place(of: offset + Int64(done))
            let step = min(total - done, Self.chunkByteCount - start)
            var copied = 0
            if index < chunks.count, let chunk = chunks[index], start < chunk.bytes.count {
                copied = min(step, chunk.bytes.count - start)
                let source = chunk.bytes.span.extracting(start..<(start + copied))
                ByteCopy.copy(source, into: &bytes, at: done)
            }
            if copied < step { ByteCopy.clear((done + copied)..<(done + step), in: &bytes) }
            done += step
        }
        return total
    }

    /// Writes all of `bytes`, growing the file where needed.
    package mutating func write(_ bytes: Span<UInt8>, at offset: Int64) {
        var done = 0
        while done < bytes.count {
            let (index, start) = Self.place(of: offset + Int64(done))
            let step = min(bytes.count - done, Self.chunkByteCount - start)
            // Small files keep a small first chunk; a file that has a second one is not small.
            let part = bytes.extracting(done..<(done + step))
            change(index) { $0.write(part, at: start, whole: index > 0) }
            done += step
        }
        if !bytes.isEmpty { byteCount = max(byteCount, offset + Int64(bytes.count)) }
    }

    /// Cuts the file, or extends it by a hole. Cutting it, also to the size it has, gives back what
    /// was set aside behind the end; extending it does not. ext4 does the same.
    package mutating func truncate(to newByteCount: Int64) {
        guard newByteCount <= byteCount else {
            byteCount = newByteCount
            return
        }
        let (index, start) = Self.place(of: newByteCount)
        let kept = start == 0 ? index : index + 1
        if kept < chunks.count {
            for chunk in chunks[kept...] {
                pageCount -= Int64((chunk?.occupied ?? 0).nonzeroBitCount)
            }
            chunks.removeLast(chunks.count - kept)
        }
        if start > 0, index < chunks.count {
            change(index) { $0.truncate(to: start) }
        }
        byteCount = newByteCount
    }

    /// How many pages a write of this range would newly occupy.
    func missingPageCount(in range: Range<Int64>) -> Int64 {
        var missing: Int64 = 0
        Self.forEachPart(of: range) { index, part in
            let present = index < chunks.count ? chunks[index]?.occupied ?? 0 : 0
            missing += Int64((MemoryChunk.mask(part) & ~present).nonzeroBitCount)
        }
        return missing
    }

    /// Where a write of this range stops when only so many new pages may be occupied.
    func end(of range: Range<Int64>, within newPageCount: Int64) -> Int64 {
        var left = newPageCount
        var offset = range.lowerBound
        while offset < range.upperBound {
            let pageEnd = min(
                (offset / Int64(Self.pageByteCount) + 1) * Int64(Self.pageByteCount),
                range.upperBound)
            left -= missingPageCount(in: offset..<pageEnd)
            if left < 0 { return offset }
            offset = pageEnd
        }
        return offset
    }

    /// The content of one page, as far as the file reaches.
    package func page(_ index: Int64) -> [UInt8] {
        let offset = index * Int64(Self.pageByteCount)
        let count = max(0, min(Int64(Self.pageByteCount), byteCount - offset))
        var bytes = [UInt8](repeating: 0, count: Int(count))
        var span = bytes.mutableSpan
        _ = read(into: &span, at: offset)
        return bytes
    }

    /// Changes a chunk, which is made if it is missing and goes if nothing is left of it.
    private mutating func change(_ index: Int, _ body: (inout MemoryChunk) -> Void) {
        if index >= chunks.count {
            chunks += [MemoryChunk?](repeating: nil, count: index + 1 - chunks.count)
        }
        // Taken out, so that the change never copies it.
        var chunk = chunks[index].take() ?? MemoryChunk()
        let before = chunk.occupied.nonzeroBitCount
        body(&chunk)
        pageCount += Int64(chunk.occupied.nonzeroBitCount - before)
        if chunk.occupied != 0 { chunks[index] = chunk }
    }

    /// The parts of a range that lie in one chunk each.
    ///
    /// - Parameter body: gets the chunk's number and the bytes of it.
    private static func forEachPart(
        of range: Range<Int64>, _ body: (Int, Range<Int>) -> Void
    ) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let (index, start) = place(of: offset)
            let step = min(Int(range.upperBound - offset), chunkByteCount - start)
            body(index, start..<(start + step))
            offset += Int64(step)
        }
    }

    /// The chunk that holds a byte, and where in it.
    private static func place(of offset: Int64) -> (index: Int, start: Int) {
        (Int(offset) / chunkByteCount, Int(offset) % chunkByteCount)
    }
}

/// Holes, and space that is set aside.
extension MemoryContent {
    /// Sets aside every page that a range touches, also behind the end.
    mutating func allocate(_ range: Range<Int64>) {
        Self.forEachPart(of: range) { index, part in change(index) { $0.allocate(part) } }
    }

    /// Makes pages a hole. Behind the page in which the file ends nothing changes, as on ext4.
    package mutating func punchHole(_ pages: Range<Int64>) {
        let pageByteCount = Int64(Self.pageByteCount)
        let end = min(pages.upperBound, (byteCount + pageByteCount - 1) / pageByteCount)
        guard pages.lowerBound < end else { return }
        let range = (pages.lowerBound * pageByteCount)..<(end * pageByteCount)
        Self.forEachPart(of: range) { index, part in
            if index < chunks.count, chunks[index] != nil { change(index) { $0.punch(part) } }
        }
    }

    /// Where the first page from an offset on begins that was written; `offset` itself inside of
    /// one; `nil` if there is none any more.
    func nextData(from offset: Int64) -> Int64? {
        guard (0..<byteCount).contains(offset) else { return nil }
        return start(from: offset, isWritten: true)
    }

    /// Where the first hole from an offset on begins; `offset` itself inside of one, the end at the
    /// latest; `nil` at or behind the end.
    func nextHole(from offset: Int64) -> Int64? {
        guard (0..<byteCount).contains(offset) else { return nil }
        let behind = Int64(chunks.count) * Int64(Self.chunkByteCount)
        return min(byteCount, start(from: offset, isWritten: false) ?? max(offset, behind))
    }

    /// Looks for a page that was written, or for one that was not, as far as there are chunks.
    private func start(from offset: Int64, isWritten: Bool) -> Int64? {
        var (index, start) = Self.place(of: offset)
        while index < chunks.count {
            let written = chunks[index]?.written ?? 0
            let pages =
                (isWritten ? written : ~written) & (UInt64.max << (start / Self.pageByteCount))
            if pages != 0 {
                let page = index * 64 + pages.trailingZeroBitCount
                return max(offset, Int64(page * Self.pageByteCount))
            }
            (index, start) = (index + 1, 0)
        }
        return nil
    }
}
