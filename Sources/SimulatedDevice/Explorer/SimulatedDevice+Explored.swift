public import DataProtection

/// How a schedule works a device: it locks without grace, and the user knows the passcode.
extension SimulatedDevice: ExploredDevice {
    /// The volume of the app's present life.
    ///
    /// - Throws: `closed` while the device is off, or when it was erased.
    public func process() throws -> ProtectedVolume { try volume }

    /// Whether data of every class can be used, and no lock is on its way.
    public var isUnlocked: Bool { lockState == .unlocked }

    /// Does what the event says. A device that is off is booted for an unlock and a reboot, and
    /// nothing else happens to it.
    ///
    /// - Throws: as the device's own calls do.
    public func happen(_ event: DeviceEvent) throws {
        let isOff = lockState == nil
        switch event {
        case .lock: lockAtOnce()
        case .unlock:
            if isOff { try boot() }
            try unlock(passcode: options.passcode ?? "")
        case .reboot: if isOff { try boot() } else { try reboot() }
        case .kill: if !isOff { try killApp() }
        case .powerCut:
            // Of all disks that a cut could leave the one that forgives least.
            if !isOff { try cutPower(.nothingUnsynced) }
            try boot()
        }
    }

    /// Moves `clock` to the first moment for which a task sleeps, as `advance(by:)` does.
    ///
    /// - Returns: how far the clock moved, or `nil` when nobody sleeps.
    public func wakeNextSleeper() -> Duration? {
        guard let next = clock.nextDeadline else { return nil }
        let duration = max(.zero, clock.now.duration(to: next))
        advance(by: duration)
        return duration
    }

    /// Asks to be told the name of each operation of the present life's volume, as `read`.
    public func watchOperations(_ watcher: @escaping @Sendable (String) -> Void) {
        // The function's name says enough, without its parameters.
        (try? volume)?.operationHook = { name in watcher(String(name.prefix { $0 != "(" })) }
    }

    /// Ends the app's present life, without another.
    public func endRun() { (try? volume)?.abandon() }
}

extension ScheduledRun where Device == SimulatedDevice {
    /// The volume of this life of the app; it answers `closed` when the life is over.
    public var volume: ProtectedVolume { process }

    /// The same in the shape of Foundation's `FileManager`.
    public var files: ProtectedFileManager { process.files }
}

extension ScheduleScenario where Device == SimulatedDevice {
    /// Describes a scenario on a simulated device.
    ///
    /// - Parameters:
    ///   - options: how the device is set up.
    ///   - actions: what may happen at each step.
    ///   - stepLimit: the most steps of one run; a run with more counts as one that never ends.
    ///   - prepare: called once in each run, before the first step; gives the world outside.
    ///   - main: the app. After a kill or a reboot it is called again, for the next life. What it
    ///     throws fails the run.
    ///   - check: called at the end, with the device unlocked; throws if the property fails.
    public init(
        options: SimulatedDevice.Options = SimulatedDevice.Options(),
        actions: [ExplorerAction<Device, World>] = ExplorerAction.all,
        stepLimit: Int = 10_000,
        prepare: @escaping @Sendable (Device) async throws -> World,
        main: @escaping @Sendable (ScheduledRun<Device, World>) async throws -> Void,
        check: @escaping @Sendable (ScheduledRun<Device, World>) async throws -> Void
    ) {
        self.init(
            device: { try SimulatedDevice(options) }, actions: actions, stepLimit: stepLimit,
            prepare: prepare, main: main, check: check)
    }
}
