/// Tells when nobody has used something for a time.
package struct IdleTime: Sendable {
    private let limit: Double
    private var lastCount: UInt64?
    private var lastUse = 0.0

    /// Counts from the first look.
    ///
    /// - Parameter limit: the time, in seconds.
    package init(limit: Double) { self.limit = limit }

    /// Looks.
    ///
    /// - Parameters:
    ///   - useCount: how often it was used so far.
    ///   - now: the time, in seconds, on a clock that goes on while the machine sleeps.
    /// - Returns: whether the time is over. It then begins anew.
    package mutating func isOver(useCount: UInt64, now: Double) -> Bool {
        if lastCount != useCount {
            lastCount = useCount
            lastUse = now
        }
        guard now - lastUse >= limit else { return false }
        lastUse = now
        return true
    }
}
