internal import Cryptography
private import Synchronization

/// Knows whether the volume was closed with everything durable, and says so on disk.
///
/// The marker is made unclean, durably, before a session's first write; `finish()` makes it clean
/// again. It stays unclean over further sessions until everything was verified.
final class Session: Sendable {
    private struct State {
        var record: MarkerRecord
        /// Whether this session may end clean.
        var endsClean: Bool
    }

    private let store: any BackingStore
    private let state: Mutex<State>
    private let isWriting = Atomic(false)
    private let hasFault = Atomic(false)

    /// Whether an earlier session stopped without closing: missing ends are excused.
    let isUnclean: Bool
    /// What is wrong with the marker, in words.
    let fault: String?

    /// Reads the marker.
    init(store: any BackingStore, keyring: Keyring) throws(ProtectionError) {
        self.store = store
        let found = try Self.read(store: store, keyring: keyring)
        let record =
            found
            ?? MarkerRecord(
                isClean: true, volumeIdentifier: keyring.volumeIdentifier, session: 0, time: 0)
        fault = found == nil ? Self.markerFault : nil
        isUnclean = !record.isClean
        state = Mutex(State(record: record, endsClean: record.isClean))
    }

    /// What is said of a marker that does not verify.
    private static let markerFault = "\(ReservedName.marker) is missing or damaged"

    /// What is wrong with the marker on disk now, in words; `nil` for nothing.
    func presentFault(_ keyring: Keyring) throws(ProtectionError) -> String? {
        try Self.read(store: store, keyring: keyring) == nil ? Self.markerFault : nil
    }

    private static func read(
        store: any BackingStore, keyring: Keyring
    ) throws(ProtectionError) -> MarkerRecord? {
        let bytes: [UInt8]
        do throws(HostError) {
            bytes = try store.root.readAll(
                ReservedName.marker, byteCountMaximum: MarkerRecord.byteCount + 1)
        } catch  where error.tellsOfNoFile {
            return nil  // missing, or no file: it does not verify
        } catch {
            throw ProtectionError(error)
        }
        return try translating { () throws(CryptographyError) in
            try MarkerRecord.read(
                bytes, volumeIdentifier: keyring.volumeIdentifier, key: keyring.markerKey)
        }
    }

    /// Makes sure that the marker is unclean on disk. Costs nothing after the first time.
    func beginWriting(_ keyring: Keyring) throws(ProtectionError) {
        if isWriting.load(ordering: .acquiring) { return }
        try state.withLock { state throws(ProtectionError) in
            guard !isWriting.load(ordering: .acquiring) else { return }
            state.record.session += 1
            try write(&state.record, isClean: false, keyring)
            isWriting.store(true, ordering: .releasing)
        }
    }

    /// Whether a missing end may be a crash's, or that of a host call that failed in this session.
    var excusesMissingEnds: Bool { isUnclean || hasFault.load(ordering: .acquiring) }

    /// Remembers that everything was verified, so that the marker ends clean again. It does not if
    /// something went wrong in this session: what is open is not what the host holds then.
    func wasVerified() {
        guard !hasFault.load(ordering: .acquiring) else { return }
        state.withLock { $0.endsClean = true }
    }

    /// Whether the marker will be clean when the session ends now.
    var endsClean: Bool { state.withLock { $0.endsClean } }

    /// Remembers that something could not be put in order, so that the marker stays unclean.
    func stayUnclean() {
        hasFault.store(true, ordering: .releasing)
        state.withLock { $0.endsClean = false }
    }

    /// Makes everything durable, and then the marker clean if nothing speaks against it.
    func finish(_ keyring: Keyring) throws(ProtectionError) {
        try state.withLock { state throws(ProtectionError) in
            guard isWriting.load(ordering: .acquiring) else { return }
            try onHost { () throws(HostError) in try store.syncAll() }
            if state.endsClean { try write(&state.record, isClean: true, keyring) }
            isWriting.store(false, ordering: .releasing)
        }
    }

    private func write(
        _ record: inout MarkerRecord, isClean: Bool, _ keyring: Keyring
    ) throws(ProtectionError) {
        record.isClean = isClean
        record.time = HostClock.nanosecondsSince1970()
        let marker = record
        let bytes = try translating { () throws(CryptographyError) in
            try marker.bytes(key: keyring.markerKey)
        }
        do throws(HostError) {
            try store.root.writeDurably(bytes, as: ReservedName.marker)
        } catch  where error.code == HostError.noSpace || error.code == HostError.quotaExceeded {
            try onHost { () throws(HostError) in try overwrite(bytes) }
        } catch {
            throw ProtectionError(error)
        }
    }

    /// On a full disk, where only removing helps, the marker is overwritten in its place: it is
    /// smaller than a sector, so it is the old one or the new one.
    private func overwrite(_ bytes: [UInt8]) throws(HostError) {
        let file = try store.root.openFile(ReservedName.marker, writable: true)
        try file.write(bytes.span, at: 0)
        try file.sync(everything: true)
    }
}
