public import FoundationEssentials

/// What is handed to the closure that sends.
public struct OutboxItem: Sendable, Hashable, Identifiable {
    /// Names the item in its outbox. Items are sent in the order of these numbers; none is used
    /// twice.
    public let id: Int64
    /// Names this message for ever, for the receiver: it is the same at every attempt, so a
    /// receiver that ignores keys it knows sees each message once. 32 hexadecimal digits.
    public let key: String
    /// What the item was saved as: a label for people, which need not be unique. It is sealed with
    /// the body.
    public let name: String
    /// What is to be sent.
    public let body: Data
    /// When it was saved, by the clock of that time.
    public let savedAt: Date
    /// Which attempt this is, from 1; 0 for an item that is only looked at.
    public let attempt: Int
}

/// What is known of an item in every lock state: nothing of what it says.
public struct OutboxItemSummary: Sendable, Hashable, Identifiable {
    /// Names the item.
    public let id: Int64
    /// What it waits for.
    public let state: OutboxItemState
    /// How often it was handed to the closure that sends. Waiting costs no attempt.
    public let attemptCount: Int
    /// Why the last attempt did not deliver it; `nil` when there was none.
    public let lastReason: OutboxReason?
    /// The length of its body, in bytes.
    public let byteCount: Int64
    /// Its class; `nil` when that is damaged.
    public let protectionClass: ProtectionClass?
    /// Whether its content cannot be read now for want of a key.
    public let isSealed: Bool
    /// When it was saved, as the host tells.
    public let savedAt: Date
}

/// What an item waits for.
public enum OutboxItemState: Sendable, Hashable {
    /// Its turn.
    case pending
    /// The answer to an attempt that is on its way.
    case sending
    /// This time, after an attempt that failed.
    case waitingForRetry(until: Date)
    /// A person or the app: it was refused, and nothing behind it is sent until it is retried,
    /// dropped or exported.
    case blocked(OutboxReason)
    /// A person or the app, while the items behind it go on.
    case setAside(OutboxReason)
}

/// Why an item was not delivered. Without words of the receiver: this can be read while locked.
public enum OutboxReason: UInt8, Sendable, Hashable, CaseIterable {
    /// The closure threw an error that says nothing about trying again.
    case failed = 1
    /// The closure asked for another try later.
    case later = 2
    /// The closure did not return in time.
    case deadline = 3
    /// The closure said that it is refused for good.
    case refused = 4
    /// It failed as often as `OutboxOptions.attemptLimit` allows.
    case attemptLimit = 5
    /// Its bytes are not what was written.
    case damaged = 6
    /// A later version of the library saved it.
    case newerFormat = 7
    /// It is not what its name says: a file of something else, or of another place.
    case foreign = 8
    /// It is older than `OutboxOptions.longestAge`.
    case expired = 9

    /// The reason in words, for people.
    public var sentence: String {
        switch self {
        case .failed: "sending failed"
        case .later: "the receiver asked to try later"
        case .deadline: "sending did not end in time"
        case .refused: "the receiver refused it for good"
        case .attemptLimit: "sending failed as often as is allowed"
        case .damaged: "its bytes are not what was written"
        case .newerFormat: "a later version saved it"
        case .foreign: "it is not what its name says"
        case .expired: "it is older than is allowed"
        }
    }
}
