/// What the outside can do to a device at any step.
public enum DeviceEvent: String, Sendable, Hashable, CaseIterable {
    /// The device locks at once, without grace.
    case lock
    /// The user types the passcode.
    case unlock
    /// The device stops where it is and starts again, before its first unlock.
    case reboot
    /// The app's process ends where it is. The lock state stays.
    case kill
    /// The power fails and comes back: before the first unlock, without what was not synced.
    case powerCut
}

/// A device that schedules can be explored on: `SimulatedDevice`, or a stand-in of your own.
///
/// The explorer calls it from one thread. What it does must depend on its calls alone, not on the
/// time or on other threads, or a schedule cannot be replayed.
public protocol ExploredDevice: Sendable {
    /// What belongs to one life of the app and dies with it, for example an open volume.
    associatedtype Process: Sendable

    /// What the present life of the app has.
    ///
    /// - Throws: what makes it impossible, such as a device that is off; the run then fails.
    func process() throws -> Process

    /// Whether an unlock would change nothing.
    var isUnlocked: Bool { get }

    /// Does what the event says, and returns when it is done.
    ///
    /// After `reboot`, `kill` and `powerCut` the old process refuses all calls, and `process()` is
    /// a new one.
    /// - Throws: what made it impossible; the run then counts as failed.
    func happen(_ event: DeviceEvent) throws

    /// Moves the device's clock to the first moment for which somebody waits, and wakes who does.
    ///
    /// - Returns: how far the clock moved, or `nil` when nobody waits.
    func wakeNextSleeper() -> Duration?

    /// Asks to be told the name of each operation at its beginning, on its thread, before it took
    /// any lock: whoever is told may call `happen`. Asked again for each process.
    func watchOperations(_ watcher: @escaping @Sendable (String) -> Void)

    /// Ends the device at the end of a run: whatever waits for it goes on, and fails.
    func endRun()
}
