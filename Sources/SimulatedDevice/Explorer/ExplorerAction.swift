/// What a schedule may do at a step.
///
///     actions: [.lock, .kill, ExplorerAction("network fails") { $0.world.network.fail() }]
public struct ExplorerAction<Device: ExploredDevice, World: Sendable>: Sendable {
    enum Deed: Sendable {
        case event(DeviceEvent)
        case custom(@Sendable (ScheduledRun<Device, World>) throws -> Void)
    }

    /// What the action is called in schedules, traces and seeds.
    public let name: String
    let deed: Deed

    private init(_ event: DeviceEvent) {
        name = event.rawValue
        deed = .event(event)
    }

    /// Makes an action of a scenario's own.
    ///
    /// - Parameters:
    ///   - name: what it is called; no two actions of a scenario may have the same name.
    ///   - perform: does it, on the thread that runs the scenario, in the middle of its step. What
    ///     it throws fails the run. It must not end the app's life: `reboot`, `kill` and `powerCut`
    ///     do that, and start the next.
    public init(
        _ name: String,
        perform: @escaping @Sendable (ScheduledRun<Device, World>) throws -> Void
    ) {
        self.name = name
        deed = .custom(perform)
    }

    /// The device locks at once.
    public static var lock: Self { Self(.lock) }
    /// The user unlocks.
    public static var unlock: Self { Self(.unlock) }
    /// The device starts again, before its first unlock, and the app with it.
    public static var reboot: Self { Self(.reboot) }
    /// The app's process ends, and is started again.
    public static var kill: Self { Self(.kill) }
    /// The power fails and comes back; what was not synced is gone. The app starts again, before
    /// the first unlock.
    public static var powerCut: Self { Self(.powerCut) }
    /// Lock, unlock, reboot, kill: what every app meets every day. A power cut is for those that
    /// promise that something is durable.
    public static var all: [Self] { [.lock, .unlock, .reboot, .kill] }
}
