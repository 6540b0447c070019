internal import Cryptography
internal import DataProtection

/// Frames at the end of a write-ahead log whose transaction is not committed yet: they are kept
/// together and written in one call, at the latest with the frame that commits.
///
/// SQLite writes each frame in two calls, a head of 24 bytes and a page, and neither ends where a
/// page of the volume does: written one by one, each page of the volume is sealed three times. A
/// frame that is not committed means nothing to anybody but its writer, who reads it through here.
/// Nothing is held when a call returns that somebody could rely on: not behind the frame that
/// commits, which is written before the log's index tells of it, and not behind a sync.
///
/// What is held SQLite has in its cache, too. A lock of the volume wipes it, and then the
/// transaction cannot be finished (`FileRecord.State.faulted`).
struct HeldFrames: Sendable {
    /// The length of a frame's head, in bytes. See: SQLite's 'wal.c'.
    private static let headByteCount = 24
    /// The length of the head of the log itself, in bytes.
    private static let logHeadByteCount = 32
    private static let pageByteCounts = 512...65_536
    /// So many bytes are written at once.
    private static let byteCountMaximum = 128 * 1024

    /// Room for one frame more than is held at most; empty before the first one.
    private var buffer: [UInt8] = []
    /// How many bytes are held.
    private(set) var byteCount = 0
    /// Where in the log they begin.
    private var start: Int64 = 0
    /// How far the log's writer has come since it has the lock; `nil` before its first frame.
    private var writtenEnd: Int64?
    /// Whether the page that comes next is the last one of a transaction.
    private var isCommitting = false
    /// Where in the log those frames begin that a lock of the volume has taken from a transaction.
    private var lostStart: Int64?
    /// Whether the writer writes in other pieces than frames, so that nothing is held.
    private var isOdd = false

    private var end: Int64 { start + Int64(byteCount) }

    /// What is to be done with a write.
    enum Step {
        /// Nothing: it is held.
        case held
        /// What is held, with it, is to be written.
        case writeHeld
        /// It is to be written.
        case pass
        /// What is held is to be written, and then it.
        case writeHeldAndPass
    }

    /// Takes a write of the log's writer, if it is one to be held.
    mutating func take(_ write: Span<UInt8>, at offset: Int64) -> Step {
        let isHead = write.count == Self.headByteCount
        isOdd = isOdd || !Self.isPieceOfFrame(write.count, offset)
        guard !isOdd else { return byteCount == 0 ? .pass : .writeHeldAndPass }
        if isHead { isCommitting = Self.endsTransaction(write) }
        let writeEnd = offset + Int64(write.count)
        // The head of a frame that is there already gets another checksum, and no page.
        let isAtEnd = offset >= writtenEnd ?? 0
        writtenEnd = max(writtenEnd ?? 0, writeEnd)
        if byteCount == 0 {
            guard isHead, isAtEnd else { return .pass }
            start = offset
        }
        guard offset >= start, offset <= end, writeEnd <= end || offset == end else {
            return writeEnd <= start ? .pass : .writeHeldAndPass
        }
        put(write, at: Int(offset - start))
        let isFull = isCommitting || byteCount >= Self.byteCountMaximum
        return !isHead && isFull ? .writeHeld : .held
    }

    private mutating func put(_ write: Span<UInt8>, at place: Int) {
        if buffer.isEmpty {
            let room = Self.byteCountMaximum + Self.headByteCount + Self.pageByteCounts.upperBound
            buffer = [UInt8](repeating: 0, count: room)
        }
        var span = buffer.mutableSpan
        ByteCopy.copy(write, into: &span, at: place)
        byteCount = max(byteCount, place + write.count)
    }

    /// Where a read is answered.
    enum Source {
        /// Here: it was answered.
        case held
        /// In the file.
        case file
        /// In the file, after what is held was written.
        case fileLater
        /// Nowhere: a lock of the volume has taken it.
        case lost
    }

    /// Answers a read of the log.
    func read(into target: inout MutableSpan<UInt8>, at offset: Int64) -> Source {
        let readEnd = offset + Int64(target.count)
        if let lostStart, readEnd > lostStart { return .lost }
        guard byteCount > 0, readEnd > start, offset < end else { return .file }
        guard offset >= start, readEnd <= end else { return .fileLater }
        let place = Int(offset - start)
        ByteCopy.copy(buffer.span.extracting(place..<place + target.count), into: &target, at: 0)
        return .held
    }

    /// Takes what is held out, to be written.
    mutating func takeOut() -> Taken {
        var taken = Taken(buffer: [], byteCount: byteCount, start: start)
        swap(&taken.buffer, &buffer)
        byteCount = 0
        return taken
    }

    /// Takes a buffer back.
    ///
    mutating func takeBack(_ taken: inout Taken) {
        swap(&taken.buffer, &buffer)
        byteCount = taken.byteCount
    }

    /// What is held, while it is written.
    struct Taken {
        fileprivate(set) var buffer: [UInt8]
        let byteCount: Int
        let start: Int64

        /// What is to be written.
        var span: Span<UInt8> {
            @_lifetime(borrow self)
            borrowing get { buffer.span.extracting(0..<byteCount) }
        }
    }

    /// Wipes what is held, because the volume was locked: whoever reads it is told.
    mutating func lose() {
        if byteCount > 0 { lostStart = start }
        wipe()
    }

    /// Wipes what is held, because it is written or means nothing.
    mutating func wipe() {
        guard byteCount > 0 else { return }
        let count = byteCount
        byteCount = 0
        var span = buffer.mutableSpan
        var held = span._mutatingExtracting(0..<count)
        Wipe.zero(&held)
    }

    /// The log's writer has no lock any more: what it has not committed is nothing.
    mutating func endWriting() {
        wipe()
        writtenEnd = nil
        lostStart = nil
        isCommitting = false
        isOdd = false
    }

    /// Whether a write is the head of a frame, a page, or the head of the log. Where the disk could
    /// harm what is beside a write, SQLite writes a part of a page, syncs, and writes the rest.
    private static func isPieceOfFrame(_ byteCount: Int, _ offset: Int64) -> Bool {
        byteCount == headByteCount || offset == 0 && byteCount == logHeadByteCount
            || pageByteCounts.contains(byteCount) && byteCount.nonzeroBitCount == 1
    }

    /// Whether a frame's head says that a transaction ends with it: how long the database then is,
    /// in pages, stands in its second word.
    private static func endsTransaction(_ head: Span<UInt8>) -> Bool {
        (4..<8).contains { head[$0] != 0 }
    }
}
