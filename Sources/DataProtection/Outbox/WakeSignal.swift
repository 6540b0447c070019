internal import Synchronization

/// Wakes one waiting task. A signal that comes before the wait is kept, so none is lost between
/// looking and waiting.
final class WakeSignal: Sendable {
    private struct State {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the waiting task, or the next one that waits.
    func raise() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isRaised = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the signal, or for the task to be cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRaised = state.withLock { state in
                    guard !state.isRaised else {
                        state.isRaised = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isRaised { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }

    /// Waits for the signal, for a time, or for the task to be cancelled.
    ///
    /// - Parameters:
    ///   - duration: how long at most.
    ///   - clock: tells when it is over.
    /// - Returns: whether the time is over.
    @discardableResult
    func wait(atMost duration: Duration, _ clock: any Clock<Duration>) async -> Bool {
        let timer = Task(executorPreference: TaskPlace.executor) {
            try? await clock.sleep(for: duration.bounded)
            guard !Task.isCancelled else { return false }
            self.raise()
            return true
        }
        await wait()
        timer.cancel()
        return await timer.value
    }
}

/// Where the present task runs.
enum TaskPlace {
    /// The executor that its caller chose for the present task; `nil` for none. A task that is made
    /// does not take it over by itself.
    static var executor: (any TaskExecutor)? {
        unsafe withUnsafeCurrentTask { task in
            unsafe task?.unownedTaskExecutor?.asTaskExecutor()
        }
    }
}
