internal import FoundationEssentials

extension ProtectedOutbox {
    /// Sends what waits and whatever is saved later, until the task is cancelled: after each
    /// unlock, when the time of a retry has come, when something is saved or decided.
    ///
    ///     let uploading = Task { try await outbox.run { try await upload($0) } }
    ///
    /// - Parameter send: as for `drain(send:)`.
    /// - Throws: `CancellationError` when the task was cancelled; `closed` when the volume was;
    ///   what else the host says. Nothing is lost then.
    public func run(send: @escaping @Sendable (OutboxItem) async throws -> Void) async throws {
        let signal = WakeSignal()
        nextListener += 1
        let number = nextListener
        runners.append((number, signal))
        defer { runners.removeAll { $0.number == number } }
        // Subscribed before the first look: an unlock in between is not missed.
        let observation = volume.observeLock { event in
            if event == .didBecomeAvailable { signal.raise() }
        }
        defer { observation.cancel() }
        let closing = volume.endWithVolume { signal.raise() }
        defer { closing.cancel() }
        while true {
            let status = try await drain(send: send)
            let (left, waiting) = (waitLeft(status), waitingAttempt)
            let isOver = await signal.wait(
                atMost: min(left ?? options.longestWait, options.longestWait), volume.clock)
            try Task.checkCancellation()
            // By the clock that nobody can set it was long enough.
            if isOver, let left, left <= options.longestWait { waitedAttempt = waiting }
        }
    }

    /// How long the next item has to wait for its next attempt.
    private func waitLeft(_ status: DrainStatus) -> Duration? {
        guard case .waitingForRetry(let until) = status else { return nil }
        return .milliseconds(max(1, Int64(until.timeIntervalSince(now) * 1000)))
    }

    /// Wakes everybody who waits for something to send.
    func wakeRunners() {
        for runner in runners { runner.signal.raise() }
    }

    /// Calls a closure whenever items can be read again, and at once if they can be read now: an
    /// unlock between looking and subscribing is not missed. More calls than needed are possible
    /// and harmless.
    ///
    /// - Parameter resume: called on the thread that unlocks; start a task in it.
    /// - Returns: keep it as long as you want to be told.
    public nonisolated func onUnlock(
        _ resume: @escaping @Sendable () -> Void
    ) -> LockObservation {
        volume.observeLock { event in
            switch event {
            case .didBecomeAvailable: resume()
            case .current(let state) where state.isProtectedDataAvailable: resume()
            default: break
            }
        }
    }
}
