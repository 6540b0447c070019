/// What an explorer runs again and again: an app, the world around it, and what must hold.
///
///     let scenario = ScheduleScenario(
///         prepare: { device in
///             try device.volume.write(Array("hello".utf8), to: "1", class: .complete)
///             return Receiver()
///         },
///         main: { run in
///             try await Outbox(run.process).drain { text in
///                 if run.isAlive { run.world.receive(text) }
///             }
///         },
///         check: { run in
///             guard run.world.texts == ["hello"] else { throw WrongTexts(run.world.texts) }
///         })
///
/// All three run on the explorer's thread. They may suspend, in child tasks, actors, and tasks
/// that prefer `run.executor`. They must not depend on the time, on chance or on other threads.
public struct ScheduleScenario<Device: ExploredDevice, World: Sendable>: Sendable {
    let device: @Sendable () throws -> Device
    let actions: [ExplorerAction<Device, World>]
    let stepLimit: Int
    let prepare: @Sendable (Device) async throws -> World
    let main: @Sendable (ScheduledRun<Device, World>) async throws -> Void
    let check: @Sendable (ScheduledRun<Device, World>) async throws -> Void

    /// Describes a scenario.
    ///
    /// - Parameters:
    ///   - device: makes the device of one run, unlocked.
    ///   - actions: what may happen at each step.
    ///   - stepLimit: the most steps of one run; a run with more counts as one that never ends.
    ///   - prepare: called once in each run, before the first step; gives the world outside.
    ///   - main: the app. After a kill or a reboot it is called again, for the next life. What it
    ///     throws fails the run.
    ///   - check: called at the end, with the device unlocked; throws if the property fails.
    public init(
        device: @escaping @Sendable () throws -> Device,
        actions: [ExplorerAction<Device, World>] = ExplorerAction.all,
        stepLimit: Int = 10_000,
        prepare: @escaping @Sendable (Device) async throws -> World,
        main: @escaping @Sendable (ScheduledRun<Device, World>) async throws -> Void,
        check: @escaping @Sendable (ScheduledRun<Device, World>) async throws -> Void
    ) {
        let names = actions.map { Schedule.word($0.name) }
        precondition(Set(names).count == names.count, "Two actions have the same name.")
        self.device = device
        self.actions = actions
        self.stepLimit = stepLimit
        self.prepare = prepare
        self.main = main
        self.check = check
    }
}
