internal import Synchronization

/// Who keeps content of files outside the engine, as a kernel keeps pages, and drops it at lock.
final class CacheSeam: Sendable {
    private struct State {
        var droppers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    func add(_ drop: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.droppers[state.next] = drop
            return state.next
        }
    }

    func remove(_ number: Int) { state.withLock { $0.droppers[number] = nil } }

    /// Returns when nothing sealed is cached any more. The calling thread holds no lock: what is
    /// dirty in a cache is written while this goes on.
    func drop() {
        for drop in state.withLock({ Array($0.droppers.values) }) { drop() }
    }
}

extension ProtectedVolume {
    /// Has a cache dropped at each lock: after the gate has closed and before keys are wiped, and
    /// once more afterwards. `lock()` returns after both.
    ///
    /// - Parameter drop: called by the thread that locks, which holds no lock of the engine.
    /// - Returns: what `removeCache(_:)` takes.
    package func addCache(dropping drop: @escaping @Sendable () -> Void) -> Int {
        core.caches.add(drop)
    }

    /// Ends it. A lock that is under way may still call.
    package func removeCache(_ number: Int) { core.caches.remove(number) }
}
