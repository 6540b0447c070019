/// A piece of a file in memory: up to 64 pages, and which of them were ever written.
struct MemoryChunk: Sendable {
    /// The bytes up to the last one written; the rest of the chunk reads as zeros.
    private(set) var bytes: [UInt8] = []
    /// One bit for each page that occupies space.
    private(set) var pages: UInt64 = 0

    /// Sets memory aside for a whole chunk, so that growing never copies.
    init(whole: Bool) {
        if whole { bytes.reserveCapacity(MemoryContent.chunkByteCount) }
    }

    /// Writes into the chunk.
    ///
    /// - Parameter start: where in the chunk, in bytes.
    mutating func write(_ source: Span<UInt8>, at start: Int) {
        if start > bytes.count {
            bytes += [UInt8](repeating: 0, count: start - bytes.count)
        }
        let overlap = min(source.count, bytes.count - start)
        if overlap > 0 {
            var target = bytes.mutableSpan
            ByteCopy.copy(source.extracting(first: overlap), into: &target, at: start)
        }
        if overlap < source.count {
            ByteCopy.append(source.extracting(droppingFirst: overlap), to: &bytes)
        }
        pages |= Self.mask(start..<(start + source.count))
    }

    /// Forgets all from `end` on.
    mutating func truncate(to end: Int) {
        if end < bytes.count { bytes.removeLast(bytes.count - end) }
        let kept = (end + MemoryContent.pageByteCount - 1) / MemoryContent.pageByteCount
        if kept < 64 { pages &= (1 << UInt64(kept)) - 1 }
    }

    /// The bits of the pages that a range of bytes touches.
    static func mask(_ range: Range<Int>) -> UInt64 {
        if range.isEmpty { return 0 }
        let first = range.lowerBound / MemoryContent.pageByteCount
        let count = (range.upperBound - 1) / MemoryContent.pageByteCount - first + 1
        let ones = count == 64 ? UInt64.max : (1 << UInt64(count)) - 1
        return ones << UInt64(first)
    }
}
