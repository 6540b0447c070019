internal import DataProtection
internal import Synchronization

/// What SQLite reaches a volume through: one for each volume, under a name of its own.
///
/// It holds the volume only through the files that are open, so that a volume that is let go can
/// close. Its name is given back then; the few hundred bytes of the registration itself stay,
/// because a connection without a file may still point to them.
final class DatabaseVFS: Sendable {
    struct State {
        var files: [ObjectIdentifier: OpenFile] = [:]
        var records: [UInt64: (record: FileRecord, openCount: Int)] = [:]
        /// Side files of class `completeUnlessOpen`, which could not be opened again while locked.
        var kept: [String: ProtectedFile] = [:]
        /// The main files of each connection that SQLite has named.
        var connections: [ConnectionHandle: [OpenFile]] = [:]
        var isEnded = false
        var isRegistered = true
        var lastFailure: ProtectionError?
    }

    /// The name to open databases with.
    let name: String
    /// Whether bytes beside those that are being written survive a power cut: the host writes
    /// whole pages.
    let isPowerSafe: Bool
    weak let reference: ProtectedVolume?
    private let state = Mutex(State())
    private let observations = Mutex<[LockObservation]>([])

    init(_ volume: ProtectedVolume, name: String) {
        self.name = name
        reference = volume
        isPowerSafe = volume.hostWritesWholePages
    }

    /// Runs a step under the lock of the open files.
    func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in try body(&state) }
    }

    /// The volume.
    ///
    /// - Throws: `closed` when it was let go.
    func volume() throws(ProtectionError) -> ProtectedVolume {
        guard let reference else { throw .closed }
        return reference
    }

    /// Watches the volume's lock and end from now on.
    func watch(_ volume: ProtectedVolume) {
        let watcher = volume.observeLock { [weak self] event in
            if event == .didBecomeUnavailable { self?.volumeDidLock() }
        }
        let ending = volume.endWithVolume { [weak self] in self?.end() }
        observations.withLock { $0 = [watcher, ending] }
    }

    /// The volume is closed: the name goes, now or with the last file.
    private func end() {
        observations.withLock { $0 = [] }
        withState { $0.isEnded = true }
        unregisterIfUnused()
    }

    private func unregisterIfUnused() {
        let isOver = withState { state in
            let isOver = state.isEnded && state.files.isEmpty && state.isRegistered
            if isOver { state.isRegistered = false }
            return isOver
        }
        if isOver { DatabaseRegistry.unregister(self) }
    }

    /// Notes a refusal, for whoever asks for the last one.
    func note(_ error: ProtectionError) { withState { $0.lastFailure = error } }

    /// The last refusal, whichever file it was about.
    var lastFailure: ProtectionError? { withState { $0.lastFailure } }

    /// A connection has opened a database: SQLite says so right after.
    func connect(_ handle: ConnectionHandle, _ file: OpenFile) {
        let others = withState { state in
            let others = state.connections[handle] ?? []
            if !others.contains(where: { $0 === file }) {
                state.connections[handle, default: []].append(file)
            }
            return others
        }
        raiseClass(of: file, over: others)
    }

    /// A file is closed.
    func forget(_ file: OpenFile) {
        let dropped = withState { state -> [ProtectedFile] in
            state.files[file.owner] = nil
            for (handle, files) in state.connections where files.contains(where: { $0 === file }) {
                let rest = files.filter { $0 !== file }
                state.connections[handle] = rest.isEmpty ? nil : rest
            }
            let identity = file.file.identity
            guard file.role == .database, let entry = state.records[identity] else { return [] }
            guard entry.openCount == 1 else {
                state.records[identity]!.openCount -= 1
                return []
            }
            state.records[identity] = nil
            guard let path = file.path else { return [] }
            return VolumeNames.sideSuffixes.compactMap { state.kept.removeValue(forKey: path + $0) }
        }
        _ = dropped  // closed here, outside of the lock
        unregisterIfUnused()
    }
}
