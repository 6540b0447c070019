/// Runs a scenario again and again, each time with something else in the middle of it.
///
///     let result = try ScheduleExplorer(deeper: 1_000).explore(scenario)
///     if let failure = result.failure { print(failure) }
///
/// A *step* is what happens between two suspensions of a task or actor, and each operation of the
/// engine. First comes the plain run, in which nothing happens and jobs run in the order in which
/// they became ready; then every action at every step of it; then schedules with several actions
/// and another order of jobs, as the seed decides. The same seed gives the same schedules and
/// the same traces on every machine.
///
/// A run that does not end after `stepLimit` steps fails as endless. Code that
/// never suspends and never ends cannot be stopped: if it calls the engine all the while, the
/// process ends with a message after a hundred times as many calls.
public struct ScheduleExplorer: Sendable {
    /// Decides the deeper schedules.
    public var seed: UInt64
    /// How many actions, at most, are tried at all steps and in all combinations. The number of
    /// schedules is about (steps × actions) to the power of the depth.
    public var depth: Int
    /// How many schedules with up to five actions and another order of jobs come after those.
    public var deeper: Int

    /// Sets up an explorer.
    ///
    /// - Parameters:
    ///   - seed: decides the deeper schedules.
    ///   - depth: how many actions, at most, are tried at all steps; 0 or more.
    ///   - deeper: how many schedules of the seed come after those; 0 or more.
    public init(seed: UInt64 = 1, depth: Int = 1, deeper: Int = 0) {
        precondition(depth >= 0 && deeper >= 0, "There is no negative number of schedules.")
        self.seed = seed
        self.depth = depth
        self.deeper = deeper
    }

    /// Runs schedules until one fails or all have passed.
    ///
    /// - Parameter scenario: what to run.
    /// - Returns: how much was run, and the failure, made as short as possible.
    /// - Throws: what the scenario's `device` or `prepare` throws.
    public func explore<Device, World>(
        _ scenario: ScheduleScenario<Device, World>
    ) throws -> ScheduleResult {
        var exploration = Exploration(scenario: scenario)
        let plain = try exploration.run(Schedule())
        if plain.problem == nil {
            try exploration.extend(Schedule(), of: plain.stepCount, by: depth)
            try exploration.goDeeper(seed: seed, count: deeper, stepCount: plain.stepCount)
        }
        var failure: ScheduleFailure?
        if let failed = exploration.failed {
            failure = scenario.failure(try scenario.shortened(failed))
        }
        return ScheduleResult(
            scheduleCount: exploration.scheduleCount, stepCount: exploration.stepCount,
            plainStepCount: plain.stepCount, failure: failure)
    }

    /// Runs one schedule.
    ///
    /// - Parameters:
    ///   - seed: what a failure's `seed` was; `plain` for the plain run.
    ///   - scenario: what to run.
    /// - Returns: what happened.
    /// - Throws: `UnreadableSeed`, or what the scenario's `device` or `prepare` throws.
    public func replay<Device, World>(
        _ seed: String, of scenario: ScheduleScenario<Device, World>
    ) throws -> ScheduleReplay {
        let names = scenario.actionNames
        guard let schedule = Schedule(seed: seed, actionNames: names) else {
            throw UnreadableSeed(seed: seed, actionNames: names)
        }
        let result = try ScheduleCourse(scenario, schedule).run()
        return ScheduleReplay(
            seed: result.schedule.seed(actionNames: names), stepCount: result.stepCount,
            trace: result.trace.text, failure: scenario.failure(result))
    }
}

extension ScheduleScenario {
    var actionNames: [String] { actions.map(\.name) }

    /// Tells people of a failed run.
    func failure(_ result: CourseResult) -> ScheduleFailure? {
        result.problem.map { problem in
            ScheduleFailure(
                kind: problem.kind, reason: problem.reason,
                schedule: result.trace.describe(result.schedule, actionNames: actionNames),
                seed: result.schedule.seed(actionNames: actionNames), trace: result.trace.text)
        }
    }
}
