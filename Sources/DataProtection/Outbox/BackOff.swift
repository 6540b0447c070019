internal import Cryptography

/// How long to wait after a failure: random, up to a limit that doubles with each one, so that many
/// outboxes that failed together do not come back together.
struct BackOff {
    /// The limit after the first failure.
    let first: Duration
    /// The highest limit.
    let longest: Duration
    /// A random number from 0 up to this one.
    var random: @Sendable (Int64) -> Int64 = Self.secureRandom

    /// The wait in milliseconds.
    ///
    /// - Parameters:
    ///   - attemptCount: how often it was tried, from 1.
    ///   - least: what the receiver asked for.
    func milliseconds(after attemptCount: UInt32, least: Duration?) -> Int64 {
        let doublings = min(max(1, attemptCount) - 1, 30)
        let limit = min(longest.milliseconds, first.milliseconds << Int64(doublings))
        let hint = least?.milliseconds ?? 0
        return max(hint, random(limit))
    }

    private static let secureRandom: @Sendable (Int64) -> Int64 = { limit in
        let number: UInt64 = SecureRandom.bytes(8).integer(at: 0)
        return limit <= 0 ? 0 : Int64(number % (UInt64(limit) + 1))
    }
}

extension Duration {
    /// The time, or a century: a clock cannot count to every end.
    var bounded: Duration { min(self, .seconds(3_155_760_000)) }

    /// The whole milliseconds; a time that no clock reaches is cut.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, 0), 1 << 40)
        return bounded * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
