/// What both stores demand of a range of a file before they change its space.
enum HostRange {
    /// Refuses a range that begins before the file. Throws `EINVAL`.
    static func check(_ range: Range<Int64>) throws(HostError) {
        guard range.lowerBound >= 0 else {
            throw HostError(code: HostError.invalidArgument, call: "fallocate")
        }
    }

    /// Refuses a hole whose ends are inside a page, too: the host would clear those parts instead.
    static func check(hole range: Range<Int64>) throws(HostError) {
        try check(range)
        let pageByteCount = Int64(MemoryContent.pageByteCount)
        guard range.lowerBound % pageByteCount == 0, range.upperBound % pageByteCount == 0 else {
            throw HostError(code: HostError.invalidArgument, call: "fallocate")
        }
    }
}
