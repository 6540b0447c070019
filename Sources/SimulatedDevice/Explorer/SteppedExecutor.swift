internal import Synchronization

/// Keeps the jobs of one life of an app, until somebody runs them one at a time.
///
/// Tasks that prefer it run here with their child tasks and the default actors they call. Plain
/// `Task {}`, `Task.detached`, `Task.sleep` and the main actor's code run elsewhere.
final class SteppedExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isDropped = false
    }

    private let queue = Mutex(Queue())

    /// How many jobs could run now.
    var readyCount: Int { queue.withLock { $0.jobs.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { if !$0.isDropped { $0.jobs.append(job) } }
    }

    /// Takes a job out of the queue.
    ///
    /// - Parameter index: which of those that are ready, from 0, the oldest first.
    func take(_ index: Int) -> UnownedJob? {
        queue.withLock { $0.jobs.indices.contains(index) ? $0.jobs.remove(at: index) : nil }
    }

    /// Runs a job on the calling thread until it suspends or ends.
    func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Runs what is ready, and what becomes ready by that, the oldest first.
    ///
    /// - Parameter limit: the most jobs to run.
    /// - Returns: whether nothing is ready any more.
    func runAll(limit: Int) -> Bool {
        for _ in 0..<limit {
            guard let job = take(0) else { return true }
            run(job)
        }
        return readyCount == 0
    }

    /// Forgets all jobs, and those to come: their tasks never go on.
    func drop() {
        queue.withLock { queue in
            queue.jobs = []
            queue.isDropped = true
        }
    }
}
