internal import FoundationEssentials

/// What a dictionary of Foundation's file attributes asks for.
struct RequestedAttributes {
    /// The class; `nil` for none.
    private(set) var protectionClass: ProtectionClass?
    /// Everything else.
    private(set) var change = AttributeChange()

    /// What is told and cannot be set: passed over, as Foundation does, so that what was read of
    /// one file can be given to another.
    private static let informative: Set<FileAttributeKey> = [
        .type, .size, .referenceCount, .systemNumber, .systemFileNumber, .deviceIdentifier,
    ]

    /// Reads a dictionary.
    ///
    /// - Throws: `invalidArgument` for a value of a wrong type or out of range, `notSupported` for
    ///   what a volume does not keep. Nothing that is asked for is passed over in silence.
    init(_ attributes: [FileAttributeKey: Any]?) throws(ProtectionError) {
        for (key, value) in attributes ?? [:] {
            switch key {
            case .protectionKey:
                let text = (value as? FileProtectionType)?.rawValue ?? value as? String
                guard let text else { throw .unusableAttribute(key.rawValue) }
                protectionClass = try ProtectionClass(required: FileProtectionType(rawValue: text))
            case .posixPermissions: change.mode = try Self.number(value, key, upTo: 0o7777)
            case .ownerAccountID: change.owner = try Self.number(value, key)
            case .groupOwnerAccountID: change.group = try Self.number(value, key)
            case .modificationDate:
                guard let time = (value as? Date).flatMap(FileTime.init) else {
                    throw .unusableAttribute(key.rawValue)
                }
                change.modificationTime = .time(time)
            case let key where Self.informative.contains(key): break
            default: throw .unsupportedAttribute(key.rawValue)
            }
        }
    }

    private static func number(
        _ value: Any, _ key: FileAttributeKey, upTo maximum: UInt32 = .max - 1
    ) throws(ProtectionError) -> UInt32 {
        // Foundation's NSNumber can be had as an Int, plain numbers of other types only as such.
        let number =
            (value as? any BinaryInteger).flatMap { UInt32(exactly: $0) }
            ?? (value as? Int).flatMap { UInt32(exactly: $0) }
        guard let number, number <= maximum else { throw .unusableAttribute(key.rawValue) }
        return number
    }
}

extension FileTime {
    /// A date, as far as it has nanoseconds; `nil` for one that no 64-bit count of seconds holds.
    init?(_ date: Date) {
        let time = date.timeIntervalSince1970
        let whole = time.rounded(.down)
        guard let seconds = Int64(exactly: whole) else { return nil }
        self.init(
            seconds: seconds, nanoseconds: min(Int64((time - whole) * 1e9), 999_999_999))
    }

    /// The time as a date, which is about 100 nanoseconds exact.
    var date: Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
    }
}
