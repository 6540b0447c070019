/// Runs two things in turn and compares them pair by pair, so that a machine whose speed drifts does
/// not favour either.
struct PairedTimes {
    private(set) var first: [Double] = []
    private(set) var second: [Double] = []

    /// One warm-up, then so many pairs.
    init(pairCount: Int, _ one: () throws -> Void, against other: () throws -> Void) rethrows {
        for index in 0...pairCount {
            let firstTime = try seconds(one)
            let secondTime = try seconds(other)
            guard index > 0 else { continue }
            first.append(firstTime)
            second.append(secondTime)
        }
    }

    /// The median of (first / second) over the pairs.
    var ratio: Double { median(zip(first, second).map { $0 / $1 }) }
}

/// How long something takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let passed = (ContinuousClock.now - start).components
    return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
}

/// The middle value.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[sorted.count / 2]
}

extension Double {
    /// With so many digits behind the point.
    func rounded(to digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let whole = Int((self * scale).rounded())
        guard digits > 0 else { return String(whole) }
        let text = String(whole)
        let padded = String(repeating: "0", count: Swift.max(0, digits + 1 - text.count)) + text
        return padded.dropLast(digits) + "." + padded.suffix(digits)
    }
}
