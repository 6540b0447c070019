/// What one run does otherwise than the plain one, in which nothing happens and the oldest job
/// that is ready comes first.
struct Schedule: Sendable, Hashable {
    /// What is decided at a step.
    enum Decision: Sendable, Hashable {
        /// Before the step, one of the scenario's actions happens, numbered from 0.
        case action(Int)
        /// The step is not that of the oldest job that is ready, but of this one, from 1.
        case overtake(Int)
    }

    /// A decision and its step, from 1.
    struct Entry: Sendable, Hashable {
        var step: Int
        var decision: Decision
    }

    /// In the order of the steps.
    var entries: [Entry] = []

    /// How many of the entries are actions.
    var actionCount: Int {
        entries.count { if case .action = $0.decision { true } else { false } }
    }

    /// The schedule as words: `7:lock 9:job2`.
    func seed(actionNames: [String]) -> String {
        if entries.isEmpty { return "plain" }
        return entries.map { entry in
            switch entry.decision {
            case .action(let action): "\(entry.step):\(Self.word(actionNames[action]))"
            case .overtake(let job): "\(entry.step):job\(job)"
            }
        }.joined(separator: " ")
    }

    /// Reads what `seed` wrote.
    ///
    /// - Returns: `nil` if it does not say a schedule with these actions.
    init?(seed: String, actionNames: [String]) {
        if seed == "plain" { return }
        guard seed.contains(where: { $0 != " " }) else { return nil }
        for word in seed.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let step = Int(parts[0]), step > 0 else { return nil }
            if let action = actionNames.firstIndex(where: { Self.word($0) == parts[1] }) {
                entries.append(Entry(step: step, decision: .action(action)))
            } else if parts[1].hasPrefix("job"), let job = Int(parts[1].dropFirst(3)), job > 0 {
                entries.append(Entry(step: step, decision: .overtake(job)))
            } else {
                return nil
            }
        }
        entries = Self.sorted(entries)
    }

    /// Makes a schedule of these entries.
    init(_ entries: [Entry] = []) { self.entries = Self.sorted(entries) }

    private static func sorted(_ entries: [Entry]) -> [Entry] {
        // Stable, so that several actions at one step keep their order.
        entries.enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }
            .map(\.element)
    }

    /// A name without what separates words in a seed.
    static func word(_ name: String) -> String {
        String(name.map { $0 == " " || $0 == ":" ? "-" : $0 })
    }
}
