import DataProtection
import Glibc

/// Moves content between the host and a volume, in chunks, so that memory does not grow with the
/// file.
enum Transfer {
    /// How much is moved at once, in bytes.
    static let chunkByteCount = 1 << 20

    /// Copies an open host file into a volume.
    ///
    /// - Parameter totalByteCount: how much there is to come, when that is known.
    static func put(
        _ source: HostFile, as path: String, in volume: ProtectedVolume,
        class protectionClass: ProtectionClass?, mode: UInt32, totalByteCount: Int64?
    ) throws {
        let stream = SourceStream(source, totalByteCount: totalByteCount)
        Interruption.hold()
        do {
            try volume.replaceFile(path, class: protectionClass, mode: mode) { file in
                try stream.copy(into: file)
            }
        } catch {
            throw interruption(error)
        }
    }

    /// Copies an open file out of a volume.
    ///
    /// - Parameters:
    ///   - path: its name, for messages.
    ///   - write: takes the chunks, in order.
    static func get(
        _ file: ProtectedFile, _ path: String, to write: (Span<UInt8>) throws -> Void
    ) throws {
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        var progress = Progress(totalByteCount: file.size)
        Interruption.hold()
        defer {
            progress.finish()
            ProcessCalls.wipe(&chunk)
        }
        do {
            var offset: Int64 = 0
            while true {
                try Interruption.check()
                var span = chunk.mutableSpan
                let count = try file.read(into: &span, at: offset)
                guard count > 0 else { return }
                try write(chunk.span.extracting(first: count))
                offset += Int64(count)
                progress.show(offset)
            }
        } catch let error as ProtectionError {
            throw error.at(path)
        } catch {
            throw interruption(error)
        }
    }

    private static func interruption(_ error: any Error) -> any Error {
        guard let failure = error as? HostFailure, failure.code == EINTR else { return error }
        return Interrupted()
    }
}

/// Content on its way into a volume.
final class SourceStream {
    private let source: HostFile
    private var progress: Progress

    init(_ source: HostFile, totalByteCount: Int64?) {
        self.source = source
        progress = Progress(totalByteCount: totalByteCount)
    }

    deinit { progress.finish() }

    /// Reads the source to its end and writes it.
    func copy(into file: ProtectedFile) throws {
        var chunk = [UInt8](repeating: 0, count: Transfer.chunkByteCount)
        defer { ProcessCalls.wipe(&chunk) }
        var offset: Int64 = 0
        while true {
            try Interruption.check()
            let count = try source.fill(&chunk)
            guard count > 0 else { return }
            try file.write(chunk.span.extracting(first: count), at: offset)
            offset += Int64(count)
            progress.show(offset)
        }
    }
}
