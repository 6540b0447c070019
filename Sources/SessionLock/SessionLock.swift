public import DataProtection

/// Locks a volume when the desktop session locks.
///
///     let lock = SessionLock.watch(volume, grace: .seconds(10))
///
/// A locked screen locks the volume after the grace; a screen that is unlocked within it takes the
/// lock back. Sleep and a closed lid lock at once: sleep is held up until the keys are gone. To
/// unlock the volume is the app's affair, because that takes the passcode.
///
/// What a machine without logind, or a desktop without such signals, cannot tell is in `coverage`.
public final class SessionLock: Sendable {
    private let watch: SessionWatch

    /// Begins to watch the session of the user whose process this is.
    ///
    /// - Parameters:
    ///   - volume: what is locked; it is not kept alive.
    ///   - grace: how long the keys stay after the screen was locked.
    ///   - handler: told of every event after the volume was dealt with, on the thread that
    ///     watches; keep it short.
    /// - Returns: keep it as long as the session is to be watched.
    public static func watch(
        _ volume: ProtectedVolume, grace: Duration = .seconds(10),
        handler: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) -> SessionLock {
        watch(volume, grace: grace, system: .system, user: .user, handler: handler)
    }

    /// The same, on buses of a test.
    package static func watch(
        _ volume: ProtectedVolume, grace: Duration, system: BusPlace, user: BusPlace,
        handler: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) -> SessionLock {
        SessionLock(
            SessionWatch(system: system, user: user) { [weak volume] event in
                if let volume {
                    switch SessionResponse(to: event) {
                    case .lockNow: volume.lock()
                    case .lockAfterGrace: volume.lock(grace: grace)
                    case .cancelGrace: volume.cancelGrace()
                    case .nothing: break
                    }
                }
                handler(event)
            })
    }

    private init(_ watch: SessionWatch) { self.watch = watch }

    deinit { watch.cancel() }

    /// Which sources are watched now, and why others are not.
    public var coverage: SessionCoverage { watch.coverage }

    /// Stops watching; calling it again does nothing.
    public func cancel() { watch.cancel() }
}
