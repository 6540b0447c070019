/// How far something is; shown on a terminal when it takes longer than a second.
package struct Progress {
    private let totalByteCount: Int64?
    private let totalEntryCount: Int?
    private let isShown = Terminal.showsErrors
    private let start = ProcessCalls.seconds()
    private var lastShown = 0.0

    init(totalByteCount: Int64?, totalEntryCount: Int? = nil) {
        self.totalByteCount = totalByteCount
        self.totalEntryCount = totalEntryCount
    }

    /// Shows the bytes, and perhaps the entries, done so far, at most five times a second.
    mutating func show(_ byteCount: Int64, entryCount: Int? = nil) {
        guard isShown else { return }
        let now = ProcessCalls.seconds()
        guard now - start > 1, now - lastShown > 0.2 else { return }
        lastShown = now
        let line = Self.line(
            byteCount: byteCount, of: totalByteCount, entryCount: entryCount, of: totalEntryCount,
            seconds: now - start)
        Terminal.writeError("\r\(line)\u{1B}[K")
    }

    /// The line that is shown: how much is done, how fast, and how long the rest may take.
    package static func line(
        byteCount: Int64, of totalByteCount: Int64?, entryCount: Int?, of totalEntryCount: Int?,
        seconds: Double
    ) -> String {
        let speed = Double(byteCount) / seconds
        let entries = entryCount.map { count in
            "\(count)\(totalEntryCount.map { " of \($0)" } ?? "") entries, "
        }
        var line = (entries ?? "") + amount(byteCount)
        line += totalByteCount.map { " of \(amount($0))" } ?? ""
        line += ", \(amount(Int64(speed)))/s"
        guard let totalByteCount, speed > 0, totalByteCount > byteCount else { return line }
        return line + ", \(duration(Double(totalByteCount - byteCount) / speed)) left"
    }

    /// A time for a reader, in whole seconds, minutes or hours.
    private static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<100: "\(Int(seconds.rounded(.up))) s"
        case ..<6000: "\(Int((seconds / 60).rounded(.up))) min"
        default: "\(Int((seconds / 3600).rounded(.up))) h"
        }
    }

    /// Takes the line away.
    mutating func finish() {
        if lastShown > 0 { Terminal.writeError("\r\u{1B}[K") }
        lastShown = 0
    }

    /// An amount of bytes for a reader, with one decimal.
    static func amount(_ byteCount: Int64) -> String {
        var value = byteCount
        var rest: Int64 = 0
        var units = ["bytes", "KiB", "MiB", "GiB", "TiB"][...]
        while value >= 1024, units.count > 1 {
            rest = value % 1024 * 10 / 1024
            value /= 1024
            units.removeFirst()
        }
        return units.startIndex == 0 ? "\(value) bytes" : "\(value).\(rest) \(units.first!)"
    }
}
