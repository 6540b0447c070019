/// Thrown by the closure that sends when nothing can be sent at all: no program, no address, no
/// configuration. The drain ends with `reason`, and the item has used up no attempt.
public struct OutboxUnavailable: Error {
    /// Why; the drain throws it.
    public let reason: any Error

    /// Ends the drain.
    ///
    /// - Parameter reason: what the drain throws.
    public init(_ reason: any Error) { self.reason = reason }
}
