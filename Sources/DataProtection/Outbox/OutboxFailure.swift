/// What the closure that sends may throw, to say what an answer means.
///
/// Any other error counts as `failed`: it is tried again, as often as `OutboxOptions.attemptLimit`
/// allows. An error that the engine calls *sealed* (`error.isLocked`) is waiting for the unlock,
/// and no attempt.
public enum OutboxFailure: Error, Sendable, Hashable {
    /// Not now: no network, a busy receiver. Tried again without limit.
    ///
    /// - after: how long the receiver wants to be left alone at least (HTTP's `Retry-After`); `nil`
    ///   leaves it to the back-off.
    case tryLater(after: Duration? = nil)
    /// Never: the receiver has refused it for good. The text is kept sealed with the item.
    case refused(String = "")
    /// Not with these credentials. Nothing is sent until `authenticationRenewed()`; no attempt is
    /// used up.
    case needsAuthentication
}
