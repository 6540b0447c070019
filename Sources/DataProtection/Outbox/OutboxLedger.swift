/// What an outbox remembers of its items beside their files: pure state, built from the log.
///
/// Items that only wait for their first attempt are not in it, so its size does not grow with
/// theirs.
package struct OutboxLedger: Hashable, Sendable {
    /// What is known of one item.
    struct Entry: Hashable, Sendable {
        /// How often it was handed over.
        var attemptCount: UInt32 = 0
        /// How many of them count against the limit.
        var failureCount: UInt32 = 0
        /// Why the last attempt did not deliver it.
        var reason: OutboxReason?
        /// What it waits for.
        var state = State.pending
        /// Whether somebody has decided that it is to be sent again.
        var isRevived = false
    }

    /// What an item waits for.
    enum State: Hashable, Sendable {
        case pending
        /// The wait began and ends then, in milliseconds since 1970.
        case retry(from: Int64, until: Int64)
        case blocked
        case setAside
        /// Nothing: its file may be removed.
        case done
    }

    /// What is known of items, by number.
    private(set) var entries: [Int64: Entry] = [:]
    /// Whether nothing is to be sent.
    private(set) var isPaused = false
    /// The highest number that was ever given, as far as is known.
    private(set) var highestNumber: Int64 = 0
    /// How many items are kept for a person.
    private(set) var quarantinedCount = 0
    /// Items whose files may be removed, or are already.
    private(set) var done: Set<Int64> = []

    /// Knows of nothing.
    package init() {}

    /// What is known of an item.
    subscript(number: Int64) -> Entry { entries[number] ?? Entry() }

    /// Follows one entry of the log.
    package mutating func follow(_ record: OutboxLogRecord) {
        highestNumber = max(highestNumber, record.number)
        let number = record.number
        // What is delivered or dropped stays so: its number is never given again.
        if record.kind.isOfItem, self[number].state == .done { return }
        switch record.kind {
        case .paused: isPaused = true
        case .resumed: isPaused = false
        case .used: break
        case .attempt: change(number) { $0.count(record) }
        case .retry:
            change(number) {
                $0.count(record)
                $0.reason = record.reason
                let (until, isBeyond) = record.time.addingReportingOverflow(record.milliseconds)
                $0.state = .retry(from: record.time, until: isBeyond ? .max : until)
            }
        case .delivered, .dropped: change(number) { $0 = Entry(state: .done) }
        case .blocked, .setAside:
            change(number) {
                $0.count(record)
                $0.reason = record.reason
                $0.state = record.kind == .blocked ? .blocked : .setAside
            }
        case .revived: change(number) { $0 = Entry(isRevived: true) }
        }
    }

    /// Forgets an item whose file is gone for certain.
    mutating func forget(_ number: Int64) { change(number) { $0 = Entry() } }

    /// Ends an item's wait for its next attempt.
    mutating func hasten(_ number: Int64) { change(number) { $0.state = .pending } }

    private mutating func change(_ number: Int64, _ body: (inout Entry) -> Void) {
        var entry = self[number]
        let was = entry.isQuarantined
        body(&entry)
        quarantinedCount += (entry.isQuarantined ? 1 : 0) - (was ? 1 : 0)
        entries[number] = entry == Entry() ? nil : entry
        if entry.state == .done { done.insert(number) } else { done.remove(number) }
    }

    /// The shortest log from which the same ledger is built.
    package var records: [OutboxLogRecord] {
        var records = [OutboxLogRecord(.used, number: highestNumber)]
        if isPaused { records.append(OutboxLogRecord(.paused)) }
        for (number, entry) in entries.sorted(by: { $0.key < $1.key }) {
            if entry.isRevived { records.append(OutboxLogRecord(.revived, number: number)) }
            if entry != Entry(isRevived: true) { records.append(record(of: number, entry)) }
        }
        return records
    }

    private func record(of number: Int64, _ entry: Entry) -> OutboxLogRecord {
        var record = OutboxLogRecord(
            .attempt, attempt: entry.attemptCount, number: number,
            failureCount: entry.failureCount)
        switch entry.state {
        case .pending: return record
        case .retry(let from, let until):
            record.kind = .retry
            record.time = from
            record.milliseconds = until - from
        case .blocked: record.kind = .blocked
        case .setAside: record.kind = .setAside
        case .done: return OutboxLogRecord(.delivered, number: number)
        }
        record.reason = entry.reason
        return record
    }
}

extension OutboxLedger.Entry {
    /// Takes over the counts.
    mutating func count(_ record: OutboxLogRecord) {
        attemptCount = record.attempt
        failureCount = record.failureCount
    }

    /// Whether it is kept for a person.
    var isQuarantined: Bool { state == .blocked || state == .setAside }

    /// When it may be tried again, in milliseconds since 1970; `nil` for at once.
    ///
    /// A clock that was set back behind the failure tells nothing any more, and must not keep the
    /// item waiting.
    func wait(at now: Int64) -> Int64? {
        guard case .retry(let from, let until) = state, now >= from, now < until else {
            return nil
        }
        return until
    }
}
