/// What an exploration found.
public struct ScheduleResult: Sendable {
    /// How many schedules were run, without those that made a failing one shorter.
    public let scheduleCount: Int
    /// How many steps they had together.
    public let stepCount: Int
    /// How many steps the plain run had, in which no action happens.
    public let plainStepCount: Int
    /// The shortest failing schedule that was found; `nil` if none fails. The exploration stops at
    /// the first failure.
    public let failure: ScheduleFailure?
}

/// What one schedule did.
public struct ScheduleReplay: Sendable {
    /// The seed of what was run: without what had no effect.
    public let seed: String
    /// How many steps there were.
    public let stepCount: Int
    /// What happened, a line for each step and each thing in between.
    public let trace: [String]
    /// What went wrong; `nil` if nothing did.
    public let failure: ScheduleFailure?
}

/// The text given to `replay` is not a schedule of the scenario.
public struct UnreadableSeed: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text.
    public let seed: String
    /// The names of the scenario's actions.
    public let actionNames: [String]

    /// Says what a seed looks like.
    public var description: String {
        "\"\(seed)\" is no schedule of this scenario. One is \"plain\" or words such as "
            + "\"7:\(actionNames.first.map(Schedule.word) ?? "lock") 9:job1\"; "
            + "its actions are \(actionNames.map(Schedule.word).joined(separator: ", "))."
    }
}
