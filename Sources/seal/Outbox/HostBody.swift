import FoundationEssentials

/// The body of an item, which is held in memory as a whole.
enum HostBody {
    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: when it is longer than `limit`; `remedy` says what to do then.
    static func read(
        _ source: String, atMost limit: Int, remedy: String = "send it in parts"
    ) throws -> [UInt8] {
        let file = source == "-" ? HostFile.standardInput : try HostFile(reading: source)
        if try file.status().isFolder { throw Failure("\(source): it is a folder") }
        Interruption.hold()
        var body: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Transfer.chunkByteCount)
        defer { ProcessCalls.wipe(&chunk) }
        while true {
            let count = try file.fill(&chunk)
            body += chunk[..<count]
            guard body.count <= limit else {
                ProcessCalls.wipe(&body)
                let most = Progress.amount(Int64(limit))
                throw Failure(
                    "\(file.path): it is longer than \(most)", remedy: remedy)
            }
            if count < chunk.count { return body }
        }
    }

    /// The same bytes, as the engine takes them.
    static func data(_ bytes: [UInt8]) -> Data { Data(bytes) }
}
