internal import DataProtection
internal import Synchronization

/// What happens to connections when the volume is locked.
///
/// The gate is closed already: no connection of class `complete` gets a lock or a page. What is
/// left is what they hold in memory.
extension DatabaseVFS {
    private static let retryMaximum = Duration.seconds(1)
    /// How long the thread that locks waits for connections that are at work.
    private static let patience = Duration.milliseconds(500)

    /// Ends the transactions that write, and empties the caches.
    func volumeDidLock() {
        let handles = withState { state -> [ConnectionHandle] in
            for file in state.files.values where file.role == .database && file.isSealed {
                file.meetLock()
            }
            return state.connections.filter { $0.value.contains(where: \.isSealed) }.map(\.key)
        }
        let end = ContinuousClock.now + Self.patience
        var rest = handles.filter { !purge($0) }
        // Nobody waits for a connection that this thread itself is in the middle of.
        while rest.contains(where: { isAtWorkElsewhere($0) }), ContinuousClock.now < end {
            SystemCalls.sleep(milliseconds: 1)
            rest = rest.filter { !purge($0) }
        }
        guard !rest.isEmpty else { return }
        Task.detached { [weak self, rest] in
            var rest = rest
            var pause = Duration.milliseconds(5)
            while !rest.isEmpty {
                try? await Task.sleep(for: pause)
                guard let self else { return }
                rest = rest.filter { !self.purge($0) }
                pause = min(pause * 2, Self.retryMaximum)
            }
        }
    }

    /// The files of a connection that are sealed; none when it was closed or the unlock came.
    private func sealedFiles(_ handle: ConnectionHandle) -> [OpenFile] {
        withState { $0.connections[handle] ?? [] }.filter(\.isSealed)
    }

    /// Has a connection that is still open for this thread.
    ///
    /// Nobody closes it meanwhile: whoever does must first take its files out of the table, and
    /// later waits for the connection's mutex.
    private func enter(_ handle: ConnectionHandle) -> Bool {
        withState { state in
            guard state.connections[handle] != nil else { return false }
            guard handle.tryEnter() else {
                handle.interrupt()
                return false
            }
            return true
        }
    }

    private func isAtWorkElsewhere(_ handle: ConnectionHandle) -> Bool {
        guard !CallDepth.isInCall else { return false }
        guard enter(handle) else { return withState { $0.connections[handle] != nil } }
        handle.leave()
        return false
    }

    /// Ends a connection's transaction and empties its cache.
    ///
    /// - Returns: whether there is nothing left to do.
    private func purge(_ handle: ConnectionHandle) -> Bool {
        let files = sealedFiles(handle)
        guard !files.isEmpty else { return true }
        guard withState({ $0.connections[handle] != nil && handle.hasMutex }) else {
            // Without a mutex nothing else is safe from another thread (docs/databases.md).
            withState { if $0.connections[handle] != nil { handle.interrupt() } }
            return true
        }
        guard !CallDepth.isInCall else {
            withState { if $0.connections[handle] != nil { handle.interrupt() } }
            return false
        }
        guard enter(handle) else { return withState { $0.connections[handle] == nil } }
        defer { handle.leave() }
        let isBusy = handle.isBusy
        if !isBusy, handle.isWriting {
            for file in files { file.isPurged.store(true, ordering: .releasing) }
            handle.rollBack()
            for file in files { file.isPurged.store(false, ordering: .releasing) }
        }
        handle.dropCache()
        if isBusy { handle.interrupt() }
        return !isBusy
    }
}
