internal import DataProtection
public import Foundation
internal import Synchronization

/// Time.
extension SimulatedDevice {
    /// Moves the clock, through everything that falls due on the way, in the order of its times:
    /// the grace ends, a device that was locked for long boots by itself, sleepers are woken.
    ///
    /// Sleepers are woken after what the device does at that time. They go on as their executors
    /// let them, so the clock may be further by then. A device whose own boot fails is off.
    ///
    /// - Parameter duration: how far; not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "Time does not go back; a person can: setWallClock(to:).")
        turn.lock()
        defer { turn.unlock() }
        let end = clock.now.advanced(by: duration)
        while let next = nextDeadline(until: end) {
            clock.move(to: next)
            endWhatIsDue()
            clock.wakeSleepers()
        }
        clock.move(to: end)
    }

    private func nextDeadline(until end: SimulatedClock.Instant) -> SimulatedClock.Instant? {
        let own = state.withLock { [$0.graceEnd?.deadline, $0.idleEnd] }
        let next = (own + [clock.nextDeadline]).compactMap(\.self).min()
        return next.flatMap { $0 <= end ? $0 : nil }
    }

    /// Does what the device has to do at the present time.
    func endWhatIsDue() {
        let now = clock.now
        let grace = state.withLock { state in
            let due = state.graceEnd.flatMap { $0.deadline <= now ? $0 : nil }
            if due != nil { state.graceEnd = nil }
            return due
        }
        if let grace, let volume = try? volume {
            if let number = grace.grace {
                volume.endGrace(number)
            } else if volume.lockState == .grace {
                volume.lock()
            }
        }
        let isIdle = state.withLock { state in
            let isDue = state.idleEnd.map { $0 <= now } ?? false
            if isDue { state.idleEnd = nil }
            return isDue
        }
        if isIdle, lockState == .locked { try? reboot() }
    }

    /// The date and time that the device shows, and that new files get.
    public var wallClock: Date {
        let time = host.wallTime.components
        return Date(
            timeIntervalSince1970: Double(time.seconds) + Double(time.attoseconds) / 1e18)
    }

    /// Sets the date and time by hand, also backwards. `clock`, the grace and the delays after
    /// wrong passcodes go on as if nothing had happened.
    public func setWallClock(to date: Date) {
        host.wallTime = .seconds(date.timeIntervalSince1970)
    }
}
