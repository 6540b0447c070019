internal import FoundationEssentials

extension OpenFile {
    /// Reads at an offset, to the end or less.
    func data(at offset: Int64, upToCount count: Int) throws(ProtectionError) -> Data {
        var data = Data(count: Int(clamping: max(0, min(Int64(count), size - offset))))
        var span = data.mutableSpan
        let readCount = try read(into: &span, at: offset)
        data.removeLast(data.count - readCount)
        return data
    }

    /// The whole content.
    func contents() throws(ProtectionError) -> Data { try data(at: 0, upToCount: .max) }

    /// How much a copy holds in memory at once, in bytes.
    private static var copyByteCount: Int { 1 << 20 }

    /// Copies everything to a new file: content with its holes, user attributes, times.
    ///
    /// - Parameters:
    ///   - copy: the new file, empty and open for writing.
    ///   - place: this file's path, for errors.
    func copyEverything(to copy: any OpenFile, from place: String) throws(ProtectionError) {
        func reading<Result>(
            _ body: () throws(ProtectionError) -> Result
        ) throws(ProtectionError) -> Result {
            do { return try body() } catch { throw error.at(place) }
        }
        let attributes = try reading { () throws(ProtectionError) in try self.attributes() }
        var offset: Int64 = 0
        while let start = try reading({ () throws(ProtectionError) in
            try nextData(from: offset)
        }) {
            let end =
                try reading { () throws(ProtectionError) in try nextHole(from: start) } ?? size
            offset = start
            while offset < end {
                let count = min(Self.copyByteCount, Int(clamping: end - offset))
                let data = try reading { () throws(ProtectionError) in
                    try self.data(at: offset, upToCount: count)
                }
                guard !data.isEmpty else { break }
                try copy.write(data.span, at: offset)
                offset += Int64(data.count)
            }
        }
        if copy.size < size { try copy.truncate(to: size) }
        try copyUserAttributes(to: copy)
        var times = AttributeChange()
        times.accessTime = .time(attributes.accessTime)
        times.modificationTime = .time(attributes.modificationTime)
        try copy.setAttributes(times)
    }
}
