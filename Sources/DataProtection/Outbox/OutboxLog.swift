/// The log of an outbox, on disk: a file of class `none`, so that what happened can be written down
/// in every lock state. It holds numbers and reasons, nothing of an item's content.
struct OutboxLog {
    private let volume: ProtectedVolume
    private let path: String
    private var file: ProtectedFile
    /// How many entries the file holds.
    private(set) var count: Int
    /// What they amount to.
    private(set) var ledger = OutboxLedger()

    /// Opens a log, or begins one. A damaged one is kept under another name: without it items are
    /// sent once more, under their keys, and none is lost.
    ///
    /// - Throws: `newerFormat` for a log of a later version.
    init(_ path: String, in volume: ProtectedVolume) throws(ProtectionError) {
        self.volume = volume
        self.path = path
        let records: [OutboxLogRecord]
        do throws(ProtectionError) {
            (file, records) = try Self.read(path, in: volume)
        } catch {
            switch error.code {
            case .missing: break
            case .damaged: try volume.rename(path, to: path + ".damaged")
            default: throw error
            }
            (file, records) = (try Self.replace(path, in: volume, with: []), [])
        }
        for record in records { ledger.follow(record) }
        count = records.count
        // What a power cut left of an entry must not come before the next one.
        let whole = Int64(OutboxLogRecord.byteCount * (count + 1))
        if file.size > whole { try file.truncate(to: whole) }
    }

    private static func read(
        _ path: String, in volume: ProtectedVolume
    ) throws(ProtectionError) -> (ProtectedFile, [OutboxLogRecord]) {
        let file = try volume.openFile(path, .readWrite)
        let bytes = try file.read(at: 0, count: Int(clamping: file.size))
        guard bytes.count >= OutboxLogRecord.byteCount else {
            // A head that a power cut left in part, or a file of somebody else's.
            guard OutboxLogRecord.head.starts(with: bytes) else { throw .notAnOutbox.at(path) }
            return (try replace(path, in: volume, with: []), [])
        }
        guard bytes.starts(with: OutboxLogRecord.mark) else { throw .notAnOutbox.at(path) }
        do throws(FormatError) {
            let records = try OutboxLogRecord.read(bytes)
            return (file, records)
        } catch {
            throw ProtectionError(outbox: error).at(path)
        }
    }

    /// Writes a decision down, durably. Only then does it hold: whoever was told of a failure can
    /// decide again.
    ///
    /// - Throws: `noSpace`, `host`; it may hold after a crash all the same.
    mutating func decide(_ record: OutboxLogRecord) throws(ProtectionError) {
        try file.append(record.bytes)
        count += 1
        try file.synchronize(everything: false)
        ledger.follow(record)
    }

    /// Writes down what happened.
    ///
    /// - Parameter durably: whether it is to survive a power cut, and not only the process's end.
    /// - Throws: `noSpace`, `host`. The ledger has followed all the same: what happened, happened.
    mutating func append(_ record: OutboxLogRecord, durably: Bool) throws(ProtectionError) {
        ledger.follow(record)
        try file.append(record.bytes)
        count += 1
        if durably { try file.synchronize(everything: false) }
    }

    /// Forgets an item whose file is gone for certain; nothing is written.
    mutating func forget(_ number: Int64) { ledger.forget(number) }

    /// Lets an item wait no longer; after the process's end it would wait again.
    mutating func hasten(_ number: Int64) { ledger.hasten(number) }

    /// Whether writing the log afresh would make it much shorter.
    var isLong: Bool { count > 1024 + 2 * (ledger.entries.count - ledger.done.count) }

    /// Writes the log afresh: the old one or the new one, whatever happens.
    mutating func shorten() throws(ProtectionError) {
        let records = ledger.records
        file = try Self.replace(path, in: volume, with: records)
        count = records.count
    }

    private static func replace(
        _ path: String, in volume: ProtectedVolume, with records: [OutboxLogRecord]
    ) throws(ProtectionError) -> ProtectedFile {
        let bytes = OutboxLogRecord.head + records.flatMap(\.bytes)
        try volume.write(bytes, to: path, class: ProtectionClass.none)
        return try volume.openFile(path, .readWrite)
    }
}

extension ProtectionError {
    /// What is wrong with a file of an outbox.
    init(outbox error: FormatError) {
        switch error {
        case .damaged(let what): self = .damaged(what)
        case .newerVersion(let version): self = .newerOutbox(version)
        }
    }
}
