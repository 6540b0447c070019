import Dispatch
import Synchronization

/// Waits on the main thread for work that is done elsewhere.
enum AsyncWork {
    private final class Box<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Does the work, and returns what it returns.
    ///
    /// - Parameter isEnded: looked at twenty times a second; when it says so the work is cancelled,
    ///   and waited for all the same.
    static func wait<Value: Sendable>(
        until isEnded: () -> Bool = { false },
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            do {
                let value = try await work()
                box.result.withLock { $0 = .success(value) }
            } catch {
                box.result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        while done.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            if isEnded() { task.cancel() }
        }
        guard let result = box.result.withLock({ $0 }) else { preconditionFailure() }
        return try result.get()
    }
}
