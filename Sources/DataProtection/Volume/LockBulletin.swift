private import Synchronization

/// Where every volume's lock is made known to the whole program: the seam for Foundation's
/// notifications, which are in a module of their own because they need all of Foundation.
package enum LockBulletin {
    /// See `OperationSeam` for why it is a structure.
    private struct Reader {
        var tell: (@Sendable (LockEvent, ProtectedVolume) -> Void)?
    }

    private static let reader = Mutex(Reader())

    /// Says who is told from now on: of each event but the present state, after the volume's own
    /// observers, on the thread that tells these.
    package static func setReader(
        _ newReader: @escaping @Sendable (LockEvent, ProtectedVolume) -> Void
    ) {
        reader.withLock { $0.tell = newReader }
    }

    /// Tells an event.
    static func tell(_ event: LockEvent, of volume: ProtectedVolume) {
        reader.withLock { $0.tell }?(event, volume)
    }
}
