internal import CSQLite
internal import Synchronization

/// Keeps what a connection attaches in its volume: SQLite would take `file:/x?vfs=unix` for a plain
/// file of the host, and copy into it where `VACUUM INTO` names it.
///
/// SQLite asks it about each statement that it prepares; also about the `ATTACH` that is in a
/// `VACUUM INTO`, when that runs.
final class AttachGuard: Sendable {
    /// What a statement has to do with databases beside the main one.
    enum Finding: Sendable {
        /// Nothing.
        case none
        /// It attaches one whose name was looked at, or detaches one.
        case known
        /// It attaches one whose name is known when it runs.
        case hidden
    }

    private struct State {
        var finding = Finding.none
        var refused: String?
    }

    /// The name of the volume's own layer.
    private let layer: String
    private let state = Mutex(State())

    init(layer: String) { self.layer = layer }

    /// Begins to be asked. It lives as long as the connection.
    func install(on connection: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe sqlite3_set_authorizer(
            connection,
            { context, action, name, _, _, _ in
                guard action == SQLITE_ATTACH || action == SQLITE_DETACH else {
                    return ResultCode.ok
                }
                let own = unsafe Unmanaged<AttachGuard>.fromOpaque(context!).takeUnretainedValue()
                guard action == SQLITE_ATTACH else { return own.answer(nil, finding: .known) }
                return own.answer(
                    unsafe name.map { unsafe String(cString: $0) }, finding: .hidden)
            }, context)
    }

    private func answer(_ name: String?, finding: Finding) -> Int32 {
        let isOwn = name.map { AttachedName($0).isOf(layer: layer) } ?? true
        state.withLock { state in
            state.finding = name == nil ? finding : .known
            if !isOwn { state.refused = name }
        }
        return isOwn ? ResultCode.ok : SQLITE_DENY
    }

    /// What was found since this was asked for last.
    func takeFinding() -> Finding {
        state.withLock { state in
            defer { state.finding = .none }
            return state.finding
        }
    }

    /// The name that was refused since this was asked for last.
    func takeRefused() -> String? {
        state.withLock { state in
            defer { state.refused = nil }
            return state.refused
        }
    }
}
