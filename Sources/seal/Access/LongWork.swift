import DataProtection

/// Watches a long piece of work in a volume: shows how far it is, and ends it when a signal asks
/// for that or its output cannot be written.
final class LongWork {
    /// Why it was broken off; `nil` when it was not.
    private(set) var failure: (any Error)?
    private let volume: ProtectedVolume
    private let countsEntries: Bool
    private var progress: Progress
    private var entryCount = 0
    private var byteCount: Int64 = 0

    /// Begins to watch.
    ///
    /// - Parameter extent: how much there is to do, when that is known.
    init(_ volume: ProtectedVolume, extent: (entryCount: Int, byteCount: Int64)? = nil) {
        self.volume = volume
        countsEntries = extent != nil
        progress = Progress(
            totalByteCount: extent?.byteCount, totalEntryCount: extent?.entryCount)
    }

    /// Takes note of bytes that were read or written.
    func add(_ count: Int64) {
        byteCount += count
        guarded { progress.show(byteCount, entryCount: countsEntries ? entryCount : nil) }
    }

    /// Takes note of an entry that is done, and prints something about it, or nothing.
    func entry(_ body: () throws -> Void) {
        entryCount += 1
        guarded(body)
    }

    /// Prints a line in the place of the progress.
    func line(_ text: String) throws {
        progress.finish()
        try Output.line(text)
    }

    /// Takes the progress away.
    func finish() { progress.finish() }

    private func guarded(_ body: () throws -> Void) {
        do {
            try Interruption.check()
            try body()
        } catch {
            // A closed volume is what ends the work.
            failure = failure ?? error
            try? volume.close()
        }
    }
}
