internal import Cryptography
internal import Synchronization

/// The two pages of a file that were opened or sealed last, as plaintext.
///
/// A page of a database lies in two pages of the volume, and the second of them is the first of the
/// database's next page: who reads or appends one after the other would open each page twice.
///
/// Plaintext counts as a key: it is wiped with the file's key. Only files whose reader keeps pages
/// himself have one, so that nothing is in memory that would not be there anyway. It is used under
/// the inode's lock; readers who come together have it one after the other.
final class PageMemory: Sendable {
    private struct Slots: Sendable {
        var pages: [Int64] = [-1, -1]
        var payloads = [[UInt8]](
            repeating: [UInt8](repeating: 0, count: PageLayout.payloadByteCount), count: 2)
        var newest = 0
        /// How many reads in a row began with a page that was here.
        var streak = 0
        /// Host pages that were read ahead, sealed as they are, and which they are.
        var ahead: [UInt8] = []
        var aheadPages: Range<Int64> = 0..<0

        /// The file is written: what was read ahead is old, and who reads and writes in turn would
        /// read a whole run for each page.
        mutating func stopAhead() {
            streak = 0
            aheadPages = 0..<0
        }
    }

    /// How many host pages are read at once where one read follows the other.
    static let aheadPageCount = 16
    /// So many reads must have followed one another before.
    private static let aheadStreak = 3

    private let slots = Mutex(Slots())

    deinit { forgetAll() }

    /// Copies a part of a page's payload.
    ///
    /// - Parameters:
    ///   - range: which part, in bytes of the payload.
    ///   - index: where in `target` it begins.
    /// - Returns: whether the page was there.
    func copy(
        _ range: Range<Int>, ofPage page: Int64, into target: inout MutableSpan<UInt8>,
        at index: Int
    ) -> Bool {
        slots.withLock { slots in
            guard let slot = slots.pages.firstIndex(of: page) else {
                slots.streak = 0
                return false
            }
            slots.streak += 1
            let payload = slots.payloads[slot]
            ByteCopy.copy(payload.span.extracting(range), into: &target, at: index)
            slots.newest = slot
            return true
        }
    }

    /// Keeps a page's payload in the place of the older one.
    ///
    /// - Parameters:
    ///   - payload: a buffer of one payload; what is given back for it is another page's.
    ///   - isNew: whether the host page is written with it.
    func keep(_ payload: inout [UInt8], ofPage page: Int64, isNew: Bool) {
        slots.withLock { slots in
            if isNew { slots.stopAhead() }
            let slot = slots.pages.firstIndex(of: page) ?? 1 - slots.newest
            slots.pages[slot] = page
            swap(&slots.payloads[slot], &payload)
            slots.newest = slot
        }
    }

    /// Forgets a page that is written without having been here.
    func forget(_ page: Int64) {
        slots.withLock { slots in
            slots.stopAhead()
            guard let slot = slots.pages.firstIndex(of: page) else { return }
            slots.pages[slot] = -1
            Wipe.zero(&slots.payloads[slot])
        }
    }

    /// Takes the pages that were read ahead, where one read has followed the other.
    ///
    /// - Returns: `nil` where reads come in no order, or somebody else has them.
    func takeAhead() -> (bytes: [UInt8], pages: Range<Int64>)? {
        slots.withLock { slots in
            guard slots.streak >= Self.aheadStreak else { return nil }
            if slots.ahead.isEmpty {
                slots.aheadPages = 0..<0
                slots.ahead = [UInt8](
                    repeating: 0, count: Self.aheadPageCount * PageLayout.pageByteCount)
            }
            var taken: [UInt8] = []
            swap(&taken, &slots.ahead)
            return (taken, slots.aheadPages)
        }
    }

    /// Gives them back.
    func giveAhead(_ bytes: inout [UInt8], _ pages: Range<Int64>) {
        slots.withLock { slots in
            swap(&slots.ahead, &bytes)
            slots.aheadPages = pages
        }
    }

    /// Wipes both, and forgets what was read ahead.
    func forgetAll() {
        slots.withLock { slots in
            slots.stopAhead()
            for slot in 0..<2 {
                slots.pages[slot] = -1
                Wipe.zero(&slots.payloads[slot])
            }
        }
    }
}
