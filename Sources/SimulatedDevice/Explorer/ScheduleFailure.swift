/// A schedule under which a scenario fails, and what happened.
public struct ScheduleFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Kind: String, Sendable, Hashable {
        /// The scenario's `check` threw.
        case check
        /// The scenario's `main` threw.
        case main
        /// An action threw.
        case action
        /// Everything waits though the device is unlocked and nobody sleeps; or what it waits for
        /// runs elsewhere than on the explorer.
        case stuck
        /// The run reached the scenario's `stepLimit`.
        case endless
    }

    /// What went wrong.
    public let kind: Kind
    /// What was thrown, or what the scenario does instead of coming to its end.
    public let reason: String
    /// The schedule, a line for each thing that was done otherwise than in the plain run: `step 7,
    /// before read 1 in task 2: lock`. Empty if the plain run fails.
    public let schedule: [String]
    /// Give it to `replay` to run just this schedule again.
    public let seed: String
    /// What happened, a line for each step and each thing in between.
    public let trace: [String]

    /// All of it, for a report.
    public var description: String {
        let lines =
            ["Fails: \(reason)", "Schedule (seed \"\(seed)\"):"]
            + (schedule.isEmpty ? ["the plain run"] : schedule).map { "  " + $0 }
            + ["Trace:"] + trace.map { "  " + $0 }
        return lines.joined(separator: "\n")
    }
}

/// Why a run failed.
struct ScheduleProblem: Error, Sendable, CustomStringConvertible {
    let kind: ScheduleFailure.Kind
    let reason: String

    init(_ kind: ScheduleFailure.Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    var description: String { reason }

    static let waiting = "waits for something that never comes, or runs elsewhere"
}
