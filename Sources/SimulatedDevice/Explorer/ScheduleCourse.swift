internal import Synchronization

/// One run of a scenario.
///
/// Everything happens on the thread that calls `run`. The mutex is for the compiler, and for a
/// scenario that leaves its executor by mistake.
final class ScheduleCourse<Device: ExploredDevice, World: Sendable>: Sendable {
    typealias Run = ScheduledRun<Device, World>

    struct State {
        /// What is still to be decided as planned, and what was decided.
        var planned: ArraySlice<Schedule.Entry>
        var decided = Schedule()
        /// Decides the order of jobs beyond the plan, in a run that explores.
        var chance: SplitMix64?
        var trace = ScheduleTrace()
        var stepCount = 0
        var tasks = TaskNumbers()
        /// The lives of the app; the last one is the present one.
        var lives: [AppLife] = []
        /// The life whose job runs; 0 when none does.
        var runningLife = 0
        /// Whether the course itself calls the device.
        var isActing = false
        /// How often the clock moved on while the device was locked.
        var lockedWaits = 0
        /// What made the run fail, if it did.
        var problem: ScheduleProblem?
    }

    let scenario: ScheduleScenario<Device, World>
    let device: Device
    let world: World
    let state: Mutex<State>

    /// Makes the device and its world.
    ///
    /// - Parameters:
    ///   - schedule: what to do otherwise.
    ///   - chance: decides the order of jobs as well; `nil` for none but what the schedule says.
    /// - Throws: what the scenario's `device` and `prepare` throw.
    init(
        _ scenario: ScheduleScenario<Device, World>, _ schedule: Schedule, chance: SplitMix64? = nil
    ) throws {
        self.scenario = scenario
        let device = try scenario.device()
        self.device = device
        do {
            world = try SteppedExecutor().finish(
                waking: device, limit: scenario.stepLimit, { try await scenario.prepare(device) })
        } catch {
            device.endRun()
            throw error
        }
        state = Mutex(State(planned: schedule.entries[...], chance: chance))
    }

    /// Runs the scenario to its end, and checks.
    func run() -> CourseResult {
        startApp(life: openLife())
        while problem == nil, runNext() || goOn() {}
        if problem == nil { check() }
        device.endRun()
        endAll()
        return state.withLock { state in
            CourseResult(
                schedule: state.decided, stepCount: state.stepCount, trace: state.trace,
                problem: state.problem)
        }
    }

    var problem: ScheduleProblem? { state.withLock { $0.problem } }

    /// The first problem is the one that counts.
    func fail(_ problem: ScheduleProblem) {
        state.withLock { if $0.problem == nil { $0.problem = problem } }
    }

    private func check() {
        act {
            if !device.isUnlocked { try device.happen(.unlock) }
        }
        do {
            let run = try handle(life: state.withLock { $0.lives.count })
            try SteppedExecutor().finish(waking: device, limit: scenario.stepLimit) { [scenario] in
                try await scenario.check(run)
            }
        } catch {
            fail(ScheduleProblem(.check, "\(error)"))
        }
    }

    /// Lets every task of this run come to its end, so that nothing is left of it.
    private func endAll() {
        let lives = state.withLock { state in
            state.isActing = true
            return state.lives
        }
        for life in lives { life.task?.cancel() }
        for life in lives {
            if !life.executor.runAll(limit: scenario.stepLimit) { life.executor.drop() }
        }
    }

    /// Calls the device, without steps, and notes what it throws as the run's failure.
    func act(_ body: () throws -> Void) {
        let before = state.withLock { state in
            defer { state.isActing = true }
            return state.isActing
        }
        defer { state.withLock { $0.isActing = before } }
        do {
            try body()
        } catch {
            fail(ScheduleProblem(.action, "\(error)"))
        }
    }
}

/// What came of a run.
struct CourseResult: Sendable {
    let schedule: Schedule
    let stepCount: Int
    let trace: ScheduleTrace
    let problem: ScheduleProblem?
}

extension SteppedExecutor {
    /// Runs a piece of code to its end, with the clock moving on when it must.
    ///
    /// - Throws: what the code throws, or `ScheduleProblem` when it waits for something that never
    ///   comes.
    func finish<Result: Sendable>(
        waking device: some ExploredDevice, limit: Int,
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        let outcome = Outcome<Result>()
        let task = Task(executorPreference: self) {
            do {
                outcome.set(.success(try await body()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        repeat {
            guard runAll(limit: limit) else { break }
            if let result = outcome.value { return try result.get() }
        } while device.wakeNextSleeper() != nil
        task.cancel()
        _ = runAll(limit: limit)
        drop()
        throw ScheduleProblem(.stuck, ScheduleProblem.waiting)
    }
}

/// A result that a task leaves for its starter.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { result.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}
