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
    /// How many pages were ever written, and not cut off since.
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
            if index >= chunks.count {
                chunks += [MemoryChunk?](repeating: nil, count: index + 1 - chunks.count)
            }
            // Small files keep a small first chunk; a file that has a second one is not small.
            let before = chunks[index]?.pages ?? 0
            if chunks[index] == nil { chunks[index] = MemoryChunk(whole: index > 0) }
            chunks[index]?.write(bytes.extracting(done..<(done + step)), at: start)
            let after = chunks[index]?.pages ?? 0
            pageCount += Int64((after & ~before).nonzeroBitCount)
            done += step
        }
        if !bytes.isEmpty { byteCount = max(byteCount, offset + Int64(bytes.count)) }
    }

    /// Cuts the file, or extends it by a hole.
    package mutating func truncate(to newByteCount: Int64) {
        let (index, start) = Self.place(of: newByteCount)
        let kept = start == 0 ? index : index + 1
        if kept < chunks.count {
            for chunk in chunks[kept...] { pageCount -= Int64((chunk?.pages ?? 0).nonzeroBitCount) }
            chunks.removeLast(chunks.count - kept)
        }
        if start > 0, index < chunks.count {
            let before = chunks[index]?.pages ?? 0
            chunks[index]?.truncate(to: start)
            pageCount -= Int64((before & ~(chunks[index]?.pages ?? 0)).nonzeroBitCount)
        }
        byteCount = newByteCount
    }

    /// How many pages a write of this range would newly occupy.
    func missingPageCount(in range: Range<Int64>) -> Int64 {
        var missing: Int64 = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            let (index, start) = Self.place(of: offset)
            let step = min(Int(range.upperBound - offset), Self.chunkByteCount - start)
            let present = index < chunks.count ? chunks[index]?.pages ?? 0 : 0
            missing += Int64(
                (MemoryChunk.mask(start..<(start + step)) & ~present).nonzeroBitCount)
            offset += Int64(step)
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

    /// The chunk that holds a byte, and where in it.
    private static func place(of offset: Int64) -> (index: Int, start: Int) {
        (Int(offset) / chunkByteCount, Int(offset) % chunkByteCount)
    }
}
