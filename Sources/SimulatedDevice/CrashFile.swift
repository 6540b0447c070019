internal import DataProtection

/// What is undecided about one file when the power fails.
struct CrashFile {
    /// The pages that a sync did not reach: for each, the operations that wrote it since.
    private(set) var writes: [Int64: [Int]] = [:]
    /// The sizes the file had since the last sync or durable truncate, in bytes; the first is on
    /// the disk for certain.
    private(set) var sizes: [Int64]
    /// The operation at which the file's durable part ends: a truncate that the journal lost.
    private(set) var end: Int?
    /// The pages of holes that the journal lost: they are as they were before the first such hole.
    private var lostHoles: [Range<Int64>] = []
    /// Where the last sync of this file was, in operations; 0 for none.
    private(set) var syncedAt = 0

    /// Begins with a file on the disk.
    init(byteCount: Int64) {
        sizes = [byteCount]
    }

    /// Follows one operation on this file.
    ///
    /// - Parameters:
    ///   - index: which operation, from 0.
    ///   - journalEnd: how many operations the journal on the disk covers.
    mutating func follow(_ change: MemoryChange, _ index: Int, journalEnd: Int) {
        if end != nil { return }
        switch change {
        case .write(_, let pages, let byteCount, _):
            for page in pages where !isLost(page.index) {
                writes[page.index, default: []].append(index)
            }
            // A file grows on the disk when its last page gets its block, so not if that is lost.
            if let last = pages.last, !isLost(last.index), sizes.last != byteCount {
                sizes.append(byteCount)
            }
        case .truncate(_, let byteCount, _):
            guard index < journalEnd else {
                end = index
                return
            }
            let pageByteCount = Int64(MemoryContent.pageByteCount)
            let kept = (byteCount + pageByteCount - 1) / pageByteCount
            writes = writes.filter { $0.key < kept }
            sizes = [byteCount]
        case .punchHole(_, let pages, _):
            if index < journalEnd {
                writes = writes.filter { !pages.contains($0.key) }
            } else {
                lostHoles.append(pages)
            }
        case .syncFile, .syncAll:
            syncedAt = index + 1
            writes = [:]
            sizes = [sizes.last ?? 0]
        default:
            break
        }
    }

    /// Whether what is written to a page now is lost with a hole.
    private func isLost(_ page: Int64) -> Bool {
        lostHoles.contains { $0.contains(page) }
    }
}

/// One thing that a power cut decides.
struct CrashDecision {
    /// What is decided.
    enum Subject: Hashable {
        case page(inode: UInt64, index: Int64)
        case size(inode: UInt64)
    }

    /// What is decided.
    let subject: Subject
    /// How many ways there are. Way 0 is that nothing since the last sync is on the disk, and the
    /// last way that all is.
    let wayCount: Int
}
