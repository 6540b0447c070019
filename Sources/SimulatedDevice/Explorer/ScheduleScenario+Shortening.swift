extension ScheduleScenario {
    /// Makes a failing schedule as short as possible, and its actions as early.
    ///
    /// - Returns: a run that fails in the same way.
    func shortened(_ failed: CourseResult) throws -> CourseResult {
        var shortening = Shortening(scenario: self, best: failed)
        while shortening.triesLeft > 0 {
            let before = shortening.best.schedule
            try shortening.dropOrder()
            try shortening.dropEntries()
            try shortening.moveActions()
            if shortening.best.schedule == before { break }
        }
        return shortening.best
    }
}

/// Looks for a shorter schedule that fails in the same way.
private struct Shortening<Device: ExploredDevice, World: Sendable> {
    let scenario: ScheduleScenario<Device, World>
    var best: CourseResult
    var triesLeft = 2_000

    /// Runs a schedule, and keeps it if it still fails.
    mutating func accept(_ schedule: Schedule) throws -> Bool {
        guard triesLeft > 0 else { return false }
        triesLeft -= 1
        let result = try ScheduleCourse(scenario, schedule).run()
        guard let problem = result.problem, problem.kind == best.problem?.kind,
            result.schedule.isSimpler(than: best.schedule)
        else { return false }
        best = result
        return true
    }

    /// Tries the oldest job first everywhere.
    mutating func dropOrder() throws {
        let actions = best.schedule.entries.filter {
            if case .action = $0.decision { true } else { false }
        }
        if actions.count < best.schedule.entries.count { _ = try accept(Schedule(actions)) }
    }

    /// Tries to do without each entry, the last one first: what comes before it stays as it is.
    mutating func dropEntries() throws {
        var index = best.schedule.entries.count - 1
        while index >= 0 {
            var shorter = best.schedule
            if index < shorter.entries.count {
                shorter.entries.remove(at: index)
                _ = try accept(shorter)
            }
            index -= 1
        }
    }

    /// Tries each entry at each earlier step.
    mutating func moveActions() throws {
        for index in best.schedule.entries.indices {
            guard index < best.schedule.entries.count else { return }
            for step in 1..<max(best.schedule.entries[index].step, 1) {
                var entries = best.schedule.entries
                entries[index].step = step
                if try accept(Schedule(entries)) { break }
            }
        }
    }
}

extension Schedule {
    /// Whether it has fewer entries, or as many and earlier ones.
    fileprivate func isSimpler(than other: Schedule) -> Bool {
        func weight(_ schedule: Schedule) -> (Int, Int, Int) {
            (
                schedule.entries.count, schedule.actionCount,
                schedule.entries.reduce(0) { $0 + $1.step }
            )
        }
        return weight(self) < weight(other)
    }
}
