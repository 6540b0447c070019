internal import Synchronization

extension ScheduleCourse {
    /// Runs one job of the present life.
    ///
    /// - Returns: whether there was one.
    func runNext() -> Bool {
        runDeadLives()
        guard let executor = state.withLock({ $0.lives.last?.executor }) else { return false }
        let ready = executor.readyCount
        guard ready > 0 else { return false }
        let choice = state.withLock { $0.chooseJob(of: ready) }
        guard let job = executor.take(choice) else { return false }
        let life = state.withLock { state in
            let life = state.lives.count
            state.runningLife = life
            return life
        }
        step { state in .job(state.tasks.number(of: job).map { .task($0) } ?? .unnamed) }
        executor.run(job)
        state.withLock { if $0.runningLife == life { $0.runningLife = 0 } }
        return true
    }

    /// Called where an operation of the engine begins.
    func operationBegins(_ name: String) {
        let counts = state.withLock { state in
            !state.isActing && state.runningLife != 0 && state.runningLife == state.lives.count
        }
        guard counts else { return }
        step { state in .operation(name, state.tasks.current().map { .task($0) } ?? .unnamed) }
    }

    /// Counts a step, and does before it what the schedule says.
    private func step(_ describe: (inout State) -> ScheduleTrace.Step) {
        let due = state.withLock { state in
            state.stepCount += 1
            let step = describe(&state)
            let due = state.takeDueActions()
            for action in due { state.trace.action(scenario.actions[action].name) }
            state.trace.step(step)
            return (actions: due, life: state.lives.count, count: state.stepCount)
        }
        if due.count >= scenario.stepLimit { endEndlessRun(stepCount: due.count) }
        for action in due.actions { perform(action, life: due.life) }
    }

    private func perform(_ action: Int, life: Int) {
        switch scenario.actions[action].deed {
        case .event(let event):
            switch event {
            case .kill, .reboot, .powerCut: replaceLife(event)
            case .lock, .unlock: act { try device.happen(event) }
            }
        case .custom(let perform):
            act { try perform(try handle(life: life)) }
        }
    }

    /// Ends the run, and the device with it, so that a loop over calls of the engine fails.
    private func endEndlessRun(stepCount: Int) {
        fail(ScheduleProblem(.endless, "did not end after \(scenario.stepLimit) steps"))
        if stepCount == scenario.stepLimit { act { try device.happen(.kill) } }
        precondition(
            stepCount < 100 * scenario.stepLimit,
            "A job of the scenario calls the engine for ever and never suspends.")
    }

    /// Does what the world does when everything waits: time passes, and the user comes back.
    ///
    /// - Returns: whether the run goes on.
    func goOn() -> Bool {
        let hasFinished = state.withLock { $0.lives.last?.hasFinished ?? true }
        if hasFinished || problem != nil { return false }
        let isUnlocked = device.isUnlocked
        // Whoever looks again and again while the device is locked must not keep the user away.
        let isPatient = state.withLock { $0.lockedWaits < Self.lockedWaitLimit }
        if isUnlocked || isPatient, let duration = device.wakeNextSleeper() {
            state.withLock { state in
                if !isUnlocked { state.lockedWaits += 1 }
                state.trace.note("everything waits: the clock moves on by \(duration)")
            }
            return true
        }
        if !isUnlocked {
            state.withLock { state in
                state.lockedWaits = 0
                state.trace.note("everything waits: the user unlocks")
            }
            act { try device.happen(.unlock) }
            return true
        }
        fail(ScheduleProblem(.stuck, ScheduleProblem.waiting))
        return false
    }

    /// How often the clock moves on while the device is locked, before the user comes back.
    private static var lockedWaitLimit: Int { 8 }
}

extension ScheduleCourse.State {
    /// Decides which of the jobs that are ready comes next.
    ///
    /// - Returns: its index, 0 for the oldest.
    fileprivate mutating func chooseJob(of ready: Int) -> Int {
        let step = stepCount + 1
        var choice = 0
        if var chance {
            if ready > 1 { choice = chance.next(below: ready) }
            self.chance = chance
        } else {
            for entry in planned.prefix(while: { $0.step <= step }) where entry.step == step {
                if case .overtake(let job) = entry.decision { choice = min(job, ready - 1) }
            }
        }
        if choice > 0 {
            decided.entries.append(Schedule.Entry(step: step, decision: .overtake(choice)))
        }
        return choice
    }

    /// The actions that are planned for the present step.
    fileprivate mutating func takeDueActions() -> [Int] {
        var due: [Int] = []
        while let entry = planned.first, entry.step <= stepCount {
            planned.removeFirst()
            guard case .action(let action) = entry.decision, entry.step == stepCount else {
                continue
            }
            due.append(action)
            decided.entries.append(entry)
        }
        return due
    }
}
