/// How an outbox behaves. Every default is the recommended value.
public struct OutboxOptions: Sendable, Hashable {
    /// The class of items. `complete`: they are sent only while unlocked.
    /// `completeUntilFirstUserAuthentication`: they are sent while locked, too.
    public var protectionClass = ProtectionClass.complete
    /// The class of items that are saved while `protectionClass` cannot be made; `nil` refuses them
    /// then, as *sealed*. A closed file of the default class is as sealed as one of `complete`.
    public var classWhileLocked: ProtectionClass? = .completeUnlessOpen
    /// The longest body, in bytes. A longer one is refused.
    public var itemByteLimit = 64 << 20
    /// The longest name, in bytes of UTF-8, at most 65,535. A longer one is refused.
    public var nameByteLimit = 1024
    /// How many items can wait. One more is refused.
    public var itemCountLimit = 1_000_000
    /// How many bytes of bodies can wait. More are refused.
    public var byteLimit: Int64 = 4 << 30
    /// How long one attempt may take. Then it is cancelled and counts as failed.
    public var sendDeadline: Duration = .seconds(300)
    /// How long to wait after the first failure, at most: the wait is random up to it, and up to
    /// twice as much after each further one.
    public var firstRetryDelay: Duration = .seconds(2)
    /// How long to wait after any failure, at most, unless the receiver asked for more.
    public var longestRetryDelay: Duration = .seconds(600)
    /// How often an item may fail with an error that does not say whether to try again, or pass
    /// its deadline, before it is refused. Other attempts do not count.
    public var attemptLimit = 20
    /// What happens with an item that is refused.
    public var refusedItems = RefusedItems.stopTheLane
    /// How old an item may become; an older one is set aside, never removed. `nil` for any age.
    public var longestAge: Duration?
    /// How long `run(send:)` waits at most before it looks again whether it can go on: a lost
    /// notification costs this much time, and nothing else.
    public var longestWait: Duration = .seconds(60)

    /// What happens with an item that is refused for good.
    public enum RefusedItems: Sendable, Hashable, CaseIterable {
        /// Nothing behind it is sent until somebody decides: the order is kept.
        case stopTheLane
        /// It is kept for somebody to decide, and the items behind it go on.
        case setAside
    }

    /// Makes the recommended options.
    public init() {}

    /// Refuses values that make no sense.
    func check() throws(ProtectionError) {
        guard protectionClass != .none, classWhileLocked != ProtectionClass.none else {
            throw .outboxOption("class none would leave items readable on a locked device")
        }
        guard itemByteLimit >= 0, (0...65535).contains(nameByteLimit), itemCountLimit > 0,
            byteLimit >= 0, attemptLimit > 0
        else { throw .outboxOption("a limit is out of its range") }
        guard sendDeadline > .zero, firstRetryDelay > .zero, longestWait > .zero,
            longestRetryDelay >= firstRetryDelay, longestRetryDelay <= .seconds(30 * 86400)
        else { throw .outboxOption("a time is out of its range") }
    }
}
