internal import CFuse
internal import Glibc
internal import Synchronization

/// What libfuse prints while it mounts, for the sentence that says why it did not.
enum LibraryLog {
    private static let lines = Mutex<[String]?>(nil)

    /// Keeps what is printed from here on.
    static func begin() {
        lines.withLock { $0 = [] }
        unsafe fuse_set_log_func { _, format, arguments in
            guard let format = unsafe format, let arguments = unsafe arguments else { return }
            var line = [CChar](repeating: 0, count: 512)
            _ = unsafe vsnprintf(&line, line.count, format, arguments)
            let text = String(
                decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) },
                as: UTF8.self)
            LibraryLog.note(text)
        }
    }

    private static func note(_ line: String) { lines.withLock { $0?.append(line) } }

    /// What was printed.
    static func end() -> String {
        lines.withLock { lines in
            defer { lines = nil }
            return (lines ?? []).joined(separator: "; ")
        }
    }
}
