internal import Dispatch
internal import Glibc
internal import Synchronization

/// Watches the session on a thread of its own, and tells a handler there, one event at a time.
package final class SessionWatch: Sendable {
    private struct State {
        var coverage = SessionCoverage()
        var isCancelled = false
    }

    /// How long after the loss of a bus, or without one, it is tried again, in seconds.
    private static let retryPause = 10.0

    private let state = Mutex(State())
    private let waker: (reading: Int32, writing: Int32)
    private let queue = DispatchQueue(label: "SessionLock", qos: .userInteractive)

    /// Begins to watch. Whether there is anything to watch shows in `coverage`, which is filled
    /// before this returns.
    ///
    /// - Parameter handler: called on the watching thread; the machine does not sleep before it has
    ///   returned from `willSleep`, but for logind's own limit.
    package init(
        system: BusPlace, user: BusPlace, handler: @escaping @Sendable (SessionEvent) -> Void
    ) {
        waker = WatchCalls.makeWaker()
        let isReady = DispatchSemaphore(value: 0)
        queue.async { [self] in
            let sources: [any BusReader] = [
                LoginReader(system, handler), DesktopReader(user, handler),
            ]
            run(sources, isReady)
            WatchCalls.close(waker.reading)
            WatchCalls.close(waker.writing)
        }
        isReady.wait()
    }

    /// Which sources are watched now.
    package var coverage: SessionCoverage { state.withLock { $0.coverage } }

    /// Stops watching.
    package func cancel() {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.isCancelled = true
            WatchCalls.wake(waker.writing)
        }
    }

    private func run(_ readers: [any BusReader], _ isReady: DispatchSemaphore) {
        var isTold = false
        var nextTry = 0.0
        while !state.withLock({ $0.isCancelled }) {
            if WatchCalls.seconds() >= nextTry {
                for reader in readers { reader.connectIfNeeded() }
                nextTry = WatchCalls.seconds() + Self.retryPause
            }
            for reader in readers { reader.read() }
            publish(readers)
            if !isTold { isReady.signal() }
            isTold = true
            var wanted = [pollfd(fd: waker.reading, events: Int16(POLLIN), revents: 0)]
            wanted += readers.compactMap(\.wanted)
            let isComplete = readers.allSatisfy { $0.wanted != nil && $0.isComplete }
            WatchCalls.wait(
                &wanted, milliseconds: isComplete ? -1 : Int32(Self.retryPause * 1000))
        }
    }

    private func publish(_ readers: [any BusReader]) {
        state.withLock { state in
            for reader in readers {
                for (source, problem) in reader.problems { state.coverage.set(source, problem) }
            }
        }
    }
}

/// Reads the session's events from one bus; for the watching thread alone.
protocol BusReader: AnyObject {
    /// For each source, why it is not watched; `nil` inside when it is.
    var problems: [SessionSource: String?] { get }
    /// What to wait for; `nil` without a connection.
    var wanted: pollfd? { get }
    /// Whether nothing is left to be tried again.
    var isComplete: Bool { get }
    /// Connects, and asks again for what was refused.
    func connectIfNeeded()
    /// Tells what has arrived.
    func read()
}
