internal import Synchronization

/// Called at the beginning of an operation with its function's name, as `read(at:count:)`.
///
/// It runs on the calling thread while no lock of the engine is held, so it may lock, unlock or
/// abandon the volume, and may call it.
package typealias OperationHook = @Sendable (_ operation: String) -> Void

/// Where a test comes between the call of an operation and its work.
final class OperationSeam: Sendable {
    // Asked first, so that an operation costs nothing more where nobody listens.
    private let isSet = Atomic(false)
    /// A function that is a mutex's whole value gets one more layer at each look at it, without
    /// end; in a structure it does not.
    private struct Stored {
        var hook: OperationHook?
    }

    private let stored = Mutex(Stored())

    /// Who is called; `nil` for nobody.
    var hook: OperationHook? {
        get { stored.withLock { $0.hook } }
        set {
            stored.withLock { $0.hook = newValue }
            isSet.store(newValue != nil, ordering: .releasing)
        }
    }

    /// Calls the hook, if there is one.
    @inline(__always)
    func begin(_ operation: String) {
        if isSet.load(ordering: .acquiring) { hook?(operation) }
    }
}

extension ProtectedVolume {
    /// Called at the beginning of every operation on names, and of every operation of an open file
    /// that reaches it, with the file's `close()`.
    package var operationHook: OperationHook? {
        get { core.seam.hook }
        set { core.seam.hook = newValue }
    }

    /// Called when the passcode of an unlock was found to be right and nothing is unlocked yet.
    package var unlockHook: OperationHook? {
        get { core.unlockSeam.hook }
        set { core.unlockSeam.hook = newValue }
    }
}
