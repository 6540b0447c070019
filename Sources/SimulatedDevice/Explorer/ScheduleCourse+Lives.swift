internal import Synchronization

/// One life of the app: its jobs and its main task.
struct AppLife: Sendable {
    let executor = SteppedExecutor()
    var task: Task<Void, Never>?
    var hasFinished = false
}

extension ScheduleCourse {
    /// Whether a life is the present one.
    func isPresent(_ life: Int) -> Bool { state.withLock { $0.lives.count == life } }

    /// Where a life's jobs are.
    func executor(ofLife life: Int) -> SteppedExecutor {
        state.withLock { $0.lives[life - 1].executor }
    }

    /// Adds a line to the trace, unless the life is over.
    func note(_ text: String, life: Int) {
        state.withLock { if $0.lives.count == life { $0.trace.note(text) } }
    }

    /// The scenario's view of a life.
    func handle(life: Int) throws -> Run {
        Run(
            device: device, world: world, process: try device.process(), life: life, course: self)
    }

    /// Begins a life: from here on nothing that the old one does counts.
    ///
    /// - Returns: its number.
    func openLife() -> Int {
        state.withLock { state in
            state.lives.append(AppLife())
            return state.lives.count
        }
    }

    /// Starts the app.
    func startApp(life: Int) {
        if life > 1 { note("life \(life) begins", life: life) }
        let run: Run
        do {
            run = try handle(life: life)
        } catch {
            return fail(ScheduleProblem(.action, "\(error)"))
        }
        device.watchOperations { [weak self] name in self?.operationBegins(name) }
        let main = scenario.main
        let task = Task(executorPreference: executor(ofLife: life)) { [weak self] in
            do {
                try await main(run)
                self?.finished(life, nil)
            } catch {
                self?.finished(life, error)
            }
        }
        state.withLock { $0.lives[life - 1].task = task }
    }

    private func finished(_ life: Int, _ error: (any Error)?) {
        guard isPresent(life) else { return }
        state.withLock { $0.lives[life - 1].hasFinished = true }
        if let error { fail(ScheduleProblem(.main, "\(error)")) }
    }

    /// Ends the present life where it is, and begins the next.
    func replaceLife(_ event: DeviceEvent) {
        let task = state.withLock { $0.lives.last?.task }
        let life = openLife()
        act { try device.happen(event) }
        task?.cancel()
        startApp(life: life)
    }

    /// Lets the code of past lives run to its end, without steps.
    func runDeadLives() {
        let executors = state.withLock { $0.lives.dropLast().map(\.executor) }
        for (index, executor) in executors.enumerated() where executor.readyCount > 0 {
            state.withLock { $0.runningLife = index + 1 }
            if !executor.runAll(limit: scenario.stepLimit) { executor.drop() }
        }
    }
}
