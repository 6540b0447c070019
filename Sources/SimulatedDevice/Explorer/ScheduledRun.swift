/// One life of the app in one run of a scenario, as the scenario sees it.
public struct ScheduledRun<Device: ExploredDevice, World: Sendable>: Sendable {
    /// The device of this run.
    public let device: Device
    /// What the scenario's `prepare` made for this run: the world outside the device.
    public let world: World
    /// What this life of the app works with; it refuses all calls when the life is over.
    public let process: Device.Process
    /// Which life of the app this is, from 1. A kill or a reboot begins the next one.
    public let life: Int
    let course: ScheduleCourse<Device, World>

    /// Whether this life is still the present one. The world outside must not listen to a life
    /// that is over: its code runs to its end, but in truth it was gone at once.
    public var isAlive: Bool { isAlive(life) }

    /// Whether a life is the present one.
    ///
    /// - Parameter life: which life, from 1.
    public func isAlive(_ life: Int) -> Bool { course.isPresent(life) }

    /// Where unstructured tasks of this life must run, as
    /// `Task(executorPreference: run.executor) { … }`; a plain `Task {}` leaves the explorer.
    public var executor: any TaskExecutor { course.executor(ofLife: life) }

    /// Adds a line to the trace; nothing when this life is over.
    ///
    /// - Parameter text: what happened, in a few words.
    public func note(_ text: String) { course.note(text, life: life) }
}
