/// A piece of a file in memory: up to 64 pages, and what is known of each.
struct MemoryChunk: Sendable {
    /// The bytes up to the last one written; the rest of the chunk reads as zeros.
    private(set) var bytes: [UInt8] = []
    /// One bit for each page that was written: the others are holes, or read as if they were.
    private(set) var written: UInt64 = 0
    /// One bit for each page that occupies space: those that were written or set aside.
    private(set) var occupied: UInt64 = 0

    /// Writes into the chunk.
    ///
    /// - Parameters:
    ///   - start: where in the chunk, in bytes.
    ///   - whole: whether to set memory aside for a whole chunk, so that growing never copies.
    mutating func write(_ source: Span<UInt8>, at start: Int, whole: Bool) {
        if whole, bytes.isEmpty { bytes.reserveCapacity(MemoryContent.chunkByteCount) }
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
        let pages = Self.mask(start..<(start + source.count))
        written |= pages
        occupied |= pages
    }

    /// Sets pages aside without writing them.
    ///
    /// - Parameter range: bytes of the chunk; each page it touches is taken.
    mutating func allocate(_ range: Range<Int>) {
        occupied |= Self.mask(range)
    }

    /// Makes whole pages a hole.
    ///
    /// - Parameter range: bytes of the chunk, from page to page.
    mutating func punch(_ range: Range<Int>) {
        let kept = ~Self.mask(range)
        written &= kept
        occupied &= kept
        if range.upperBound < bytes.count {
            var target = bytes.mutableSpan
            ByteCopy.clear(range, in: &target)
        } else if range.lowerBound < bytes.count {
            bytes.removeLast(bytes.count - range.lowerBound)
        }
    }

    /// Forgets all from `end` on.
    mutating func truncate(to end: Int) {
        if end < bytes.count { bytes.removeLast(bytes.count - end) }
        let kept = Self.mask(0..<end)
        written &= kept
        occupied &= kept
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
