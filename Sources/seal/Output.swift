import Glibc

/// Writes results to standard output.
enum Output {
    /// Writes a line.
    static func line(_ text: String) throws { try self.text(text + "\n") }

    /// Writes text.
    static func text(_ text: String) throws { try bytes(Array(text.utf8).span) }

    /// Writes bytes.
    ///
    /// - Throws: `OutputClosed` when nobody reads any more.
    static func bytes(_ bytes: Span<UInt8>) throws {
        do throws(HostFailure) {
            try HostFile.standardOutput.writeAll(bytes)
        } catch  where error.code == EPIPE {
            throw OutputClosed()
        }
    }
}

/// Reads single lines.
enum Line {
    /// The longest line that is accepted, in bytes.
    static let byteCountMaximum = 4096

    /// Reads one line, a byte at a time, so that what follows it stays for the next reader.
    ///
    /// - Returns: the line without its newline, which may be that of Windows; the caller wipes it.
    static func read(from file: HostFile) throws -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(byteCountMaximum)  // a secret must not be left behind by growing
        var byte: [UInt8] = [0]
        while true {
            var span = byte.mutableSpan
            do throws(HostFailure) {
                guard try file.fill(&span) == 1 else { return line }
            } catch {
                ProcessCalls.wipe(&line)
                if error.code == EINTR { throw Interrupted() }
                throw error
            }
            if byte[0] == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return line
            }
            guard line.count < byteCountMaximum else {
                ProcessCalls.wipe(&line)
                throw Failure("\(file.path): the first line is too long")
            }
            line.append(byte[0])
        }
    }
}
