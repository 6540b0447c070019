import DataProtection

/// What an outbox keeps: an item's record and name are read back as they were; a log of any entries
/// says the same after it was written afresh.
enum OutboxFuzzing {
    static func run(_ input: inout ByteReader) throws {
        switch input.byte() % 4 {
        case 0: try readItem(input.rest())
        case 1: try readLog(input.rest())
        case 2:
            // A log whose head is right, so that its entries are reached.
            try readLog(OutboxLogRecord.head + input.rest())
        default:
            let text = String(decoding: input.rest(), as: UTF8.self)
            guard let name = OutboxName(text) else { return }
            try FuzzFault.unless(name.text == text, "a name of an item is not what was read")
        }
    }

    private static func readItem(_ bytes: [UInt8]) throws {
        guard
            let (found, nameByteCount) = try? OutboxItemRecord.read(
                bytes, fileByteCount: Int64(bytes.count))
        else { return }
        var record = found
        let end = OutboxItemRecord.fixedByteCount + nameByteCount
        try FuzzFault.unless(end <= bytes.count, "an item's label ends behind the file")
        record.name = bytes.field(OutboxItemRecord.fixedByteCount..<end)
        try FuzzFault.unless(record.bytes == bytes.field(0..<end), "an item is not what was read")
    }

    private static func readLog(_ bytes: [UInt8]) throws {
        guard let records = try? OutboxLogRecord.read(bytes) else { return }
        let again = OutboxLogRecord.head + records.flatMap(\.bytes)
        try FuzzFault.unless(
            records.isEmpty || bytes.starts(with: again), "a log is not what was read")
        let ledger = ledger(records)
        let short = ledger.records
        try FuzzFault.unless(
            try OutboxLogRecord.read(OutboxLogRecord.head + short.flatMap(\.bytes)) == short,
            "a log that was written afresh cannot be read")
        try FuzzFault.unless(
            self.ledger(short) == ledger, "a log that was written afresh says something else")
    }

    private static func ledger(_ records: [OutboxLogRecord]) -> OutboxLedger {
        var ledger = OutboxLedger()
        for record in records { ledger.follow(record) }
        return ledger
    }
}
