internal import CFuse
internal import Glibc
internal import Synchronization

/// Whose turn it is to read from the kernel: one thread's at a time.
///
/// The kernel wakes a waiting thread for each request, whether or not somebody else is about to
/// read it. So only one thread reads: it serves what is short itself and reads on, with no other
/// thread woken. Before what may take long it gives the turn away, and what takes long against
/// expectation loses it to a watch that looks every millisecond while there is work.
@safe final class ReaderTurn: @unchecked Sendable {
    private let free: UnsafeMutablePointer<sem_t>
    private let work: UnsafeMutablePointer<sem_t>
    /// Odd while the reader serves a request; whoever makes it even has the turn.
    private let serving = Atomic<UInt64>(0)
    private let isWatched = Atomic(false)
    private let isOver = Atomic(false)

    private static let tickMicroseconds: UInt32 = 1000

    init() {
        unsafe free = .allocate(capacity: 1)
        unsafe work = .allocate(capacity: 1)
        unsafe sem_init(free, 0, 1)
        unsafe sem_init(work, 0, 0)
    }

    deinit {
        unsafe sem_destroy(free)
        unsafe sem_destroy(work)
        unsafe free.deallocate()
        unsafe work.deallocate()
    }

    /// Waits until it is this thread's turn.
    func take() { unsafe Self.wait(free) }

    /// Gives it to another thread.
    func give() { unsafe sem_post(free) }

    private static func wait(_ semaphore: UnsafeMutablePointer<sem_t>) {
        while unsafe sem_wait(semaphore) != 0 {}
    }

    /// Notes that the reader serves a request and keeps the turn.
    ///
    /// - Returns: what `endServing(_:)` takes.
    func beginServing() -> UInt64 {
        let (_, number) = serving.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if !isWatched.load(ordering: .sequentiallyConsistent) { startWatching() }
        return number
    }

    /// Ends it.
    ///
    /// - Returns: whether this thread still has the turn.
    func endServing(_ number: UInt64) -> Bool {
        serving.compareExchange(
            expected: number, desired: number &+ 1, ordering: .sequentiallyConsistent
        ).exchanged
    }
}

// MARK: - The watch

extension ReaderTurn {
    /// Starts the thread that takes the turn from whoever is late.
    ///
    /// - Returns: whether there was room for one more.
    func startWatch() -> Bool { startThread { self.watch() } }

    /// Ends the thread.
    func endWatch() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        unsafe sem_post(work)
    }

    private func startWatching() {
        let wasWatched = isWatched.exchange(true, ordering: .sequentiallyConsistent)
        if !wasWatched { unsafe sem_post(work) }
    }

    private func watch() {
        while true {
            unsafe Self.wait(work)
            if isOver.load(ordering: .sequentiallyConsistent) { return }
            watchWhileBusy()
        }
    }

    private func watchWhileBusy() {
        var last = serving.load(ordering: .sequentiallyConsistent)
        while !isOver.load(ordering: .sequentiallyConsistent) {
            usleep(Self.tickMicroseconds)
            let now = serving.load(ordering: .sequentiallyConsistent)
            defer { last = now }
            guard now == last else { continue }
            if now & 1 == 1 {
                if endServing(now) { give() }
                continue
            }
            isWatched.store(false, ordering: .sequentiallyConsistent)
            // A request that came in between has seen a watch, and woken none.
            guard serving.load(ordering: .sequentiallyConsistent) != now else { return }
            if isWatched.exchange(true, ordering: .sequentiallyConsistent) { return }
        }
    }
}
