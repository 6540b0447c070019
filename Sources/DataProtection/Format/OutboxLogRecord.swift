/// One entry of an outbox's log (docs/format.md 12): what happened to an item, without its content.
package struct OutboxLogRecord: Hashable, Sendable {
    /// What happened.
    package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The item is about to be handed over, for the `attempt`th time.
        case attempt = 1
        /// The attempt failed; the next one is at `time` plus `milliseconds` at the earliest.
        case retry = 2
        /// The receiver has it. Its file may still be there.
        case delivered = 3
        /// It was dropped, or exported. Its file may still be there.
        case dropped = 4
        /// It was refused, and nothing behind it goes on.
        case blocked = 5
        /// It is kept for a person, and the items behind it go on.
        case setAside = 6
        /// It is to be sent again, as if it had never failed.
        case revived = 7
        /// Nothing is sent until `resumed`.
        case paused = 8
        /// Goes on.
        case resumed = 9
        /// No number up to this one is given again.
        case used = 10

        /// Whether it is about one item.
        package var isOfItem: Bool {
            switch self {
            case .paused, .resumed, .used: false
            case .attempt, .retry, .delivered, .dropped, .blocked, .setAside, .revived: true
            }
        }
    }

    /// What happened.
    package var kind: Kind
    /// Why; `nil` where nothing failed.
    package var reason: OutboxReason?
    /// How often the item was handed over so far.
    package var attempt: UInt32
    /// Which item; 0 for what concerns all.
    package var number: Int64
    /// When, in milliseconds since 1970.
    package var time: Int64
    /// For `retry`: how long to wait from then on.
    package var milliseconds: Int64
    /// How many of the attempts count against the limit.
    package var failureCount: UInt32

    /// The length of an entry, in bytes.
    package static let byteCount = 40
    /// What a log of any version begins with.
    package static let mark = Array("SDPOUTB".utf8)
    /// What a log begins with; as long as an entry.
    package static let head = mark + Array("1".utf8) + [UInt8](repeating: 0, count: byteCount - 8)

    /// Describes an entry.
    package init(
        _ kind: Kind, reason: OutboxReason? = nil, attempt: UInt32 = 0, number: Int64 = 0,
        time: Int64 = 0, milliseconds: Int64 = 0, failureCount: UInt32 = 0
    ) {
        self.kind = kind
        self.reason = reason
        self.attempt = attempt
        self.number = number
        self.time = time
        self.milliseconds = milliseconds
        self.failureCount = failureCount
    }

    /// The entry as stored.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [kind.rawValue, reason?.rawValue ?? 0, 0, 0]
        bytes.append(littleEndian: attempt)
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: time)
        bytes.append(littleEndian: milliseconds)
        bytes.append(littleEndian: failureCount)
        bytes.appendZeros(Self.byteCount - bytes.count)
        return bytes
    }

    private init?(entry bytes: [UInt8]) {
        guard let kind = Kind(rawValue: bytes[0]), bytes.isZero(in: 2..<4),
            bytes.isZero(in: 36..<Self.byteCount)
        else { return nil }
        let reason = OutboxReason(rawValue: bytes[1])
        guard reason != nil || bytes[1] == 0 else { return nil }
        self.init(
            kind, reason: reason, attempt: bytes.integer(at: 4), number: bytes.integer(at: 8),
            time: bytes.integer(at: 16), milliseconds: bytes.integer(at: 24),
            failureCount: bytes.integer(at: 32))
        guard number >= 0, milliseconds >= 0 else { return nil }
    }

    /// Reads a log.
    ///
    /// - Parameter bytes: the whole file. A last entry that a power cut left in part is passed
    ///   over.
    /// - Throws: `newerVersion` for a log of a later version, `damaged` for what no writer makes.
    package static func read(_ bytes: [UInt8]) throws(FormatError) -> [OutboxLogRecord] {
        guard bytes.count >= byteCount else { return [] }
        guard bytes.field(0..<byteCount) == head else {
            guard bytes.starts(with: mark) else {
                throw .damaged("no log of an outbox")
            }
            throw .newerVersion(UInt32(bytes[7]))
        }
        var entries: [OutboxLogRecord] = []
        var offset = byteCount
        while offset + byteCount <= bytes.count {
            guard let entry = OutboxLogRecord(entry: bytes.field(offset..<(offset + byteCount)))
            else { throw .damaged("a log of an outbox with an entry that is none") }
            entries.append(entry)
            offset += byteCount
        }
        return entries
    }
}
