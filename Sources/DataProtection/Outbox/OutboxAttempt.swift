internal import Synchronization

/// One item with the closure that sends: it ends with the closure, or with the deadline.
///
/// Nobody can make a closure return that does not want to. So it runs in a task of its own, which
/// is cancelled at the deadline and then left alone.
final class OutboxAttempt: Sendable {
    /// How an attempt ended.
    enum Outcome: Sendable {
        case delivered
        case failed(any Error)
        case deadline
    }

    private struct State {
        var outcome: Outcome?
        var waiter: CheckedContinuation<Outcome, Never>?
        var tasks: [Task<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Hands an item over.
    init(
        _ item: OutboxItem, place: OutboxPlace, deadline: Duration, clock: any Clock<Duration>,
        send: @escaping @Sendable (OutboxItem) async throws -> Void
    ) {
        let executor = TaskPlace.executor
        let sender = Task(executorPreference: executor) {
            do {
                try await ProtectedOutbox.$handedOver.withValue(place) { try await send(item) }
                self.end(.delivered)
            } catch {
                self.end(.failed(error))
            }
        }
        let timer = Task(executorPreference: executor) {
            try? await clock.sleep(for: deadline.bounded)
            if !Task.isCancelled { self.end(.deadline) }
        }
        let isOver = state.withLock { state in
            state.tasks = [sender, timer]
            return state.outcome != nil
        }
        if isOver { cancel() }
    }

    /// Waits for the end. A cancelled caller cancels the closure's task, and waits all the same.
    var outcome: Outcome {
        get async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let outcome = state.withLock { state -> Outcome? in
                        if state.outcome == nil { state.waiter = continuation }
                        return state.outcome
                    }
                    if let outcome { continuation.resume(returning: outcome) }
                }
            } onCancel: {
                cancelSending()
            }
        }
    }

    /// Asks the closure to end.
    func cancelSending() { state.withLock { $0.tasks.first }?.cancel() }

    /// The first end counts.
    private func end(_ outcome: Outcome) {
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
        cancel()
    }

    private func cancel() {
        for task in state.withLock({ $0.tasks }) { task.cancel() }
    }
}

/// Names an item of an outbox, for as long as its closure runs.
struct OutboxPlace: Hashable, Sendable {
    let outbox: ObjectIdentifier
    let item: OutboxItem.ID
}

extension ProtectedOutbox {
    /// The item for whose sake the present task runs.
    @TaskLocal static var handedOver: OutboxPlace?

    /// Whether the present task runs for the sake of an item of this outbox: waiting for the end of
    /// its closure would be waiting for oneself.
    nonisolated var isHandingOver: Bool { Self.handedOver?.outbox == ObjectIdentifier(self) }
}
