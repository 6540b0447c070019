/// The schedules of one exploration, until one fails.
struct Exploration<Device: ExploredDevice, World: Sendable> {
    let scenario: ScheduleScenario<Device, World>
    private(set) var scheduleCount = 0
    private(set) var stepCount = 0
    private(set) var failed: CourseResult?

    init(scenario: ScheduleScenario<Device, World>) { self.scenario = scenario }

    /// Runs one schedule.
    mutating func run(_ schedule: Schedule, chance: SplitMix64? = nil) throws -> CourseResult {
        let result = try ScheduleCourse(scenario, schedule, chance: chance).run()
        scheduleCount += 1
        stepCount += result.stepCount
        if result.problem != nil { failed = result }
        return result
    }

    /// Tries every action at every step that comes after those of a schedule.
    ///
    /// - Parameters:
    ///   - schedule: the actions that come before.
    ///   - stepCount: how many steps the run with these has.
    ///   - depth: how many actions to add, at most.
    mutating func extend(_ schedule: Schedule, of stepCount: Int, by depth: Int) throws {
        let first = (schedule.entries.last?.step ?? 0) + 1
        guard depth > 0, first <= stepCount else { return }
        for step in first...stepCount {
            for action in scenario.actions.indices {
                let entry = Schedule.Entry(step: step, decision: .action(action))
                let longer = Schedule(schedule.entries + [entry])
                let result = try run(longer)
                if failed != nil { return }
                try extend(longer, of: result.stepCount, by: depth - 1)
                if failed != nil { return }
            }
        }
    }

    /// Runs schedules that chance decides.
    ///
    /// - Parameters:
    ///   - seed: decides all of them.
    ///   - count: how many.
    ///   - stepCount: how many steps the plain run has.
    mutating func goDeeper(seed: UInt64, count: Int, stepCount: Int) throws {
        var chance = SplitMix64(seed: seed)
        for _ in 0..<count where failed == nil {
            var entries: [Schedule.Entry] = []
            if !scenario.actions.isEmpty {
                for _ in 0..<chance.next(below: 6) {
                    // Actions make a run longer: some steps come after the last plain one.
                    let step = 1 + chance.next(below: stepCount * 3 / 2 + 1)
                    let action = chance.next(below: scenario.actions.count)
                    entries.append(Schedule.Entry(step: step, decision: .action(action)))
                }
            }
            let order = SplitMix64(seed: chance.next())
            _ = try run(Schedule(entries), chance: order)
        }
    }
}
