internal import Glibc

/// A value that many threads may look at together, and one may change alone.
///
/// Who waits to change it goes before those who come later to look: a lock of the volume that wipes
/// keys is not kept waiting by readers. A thread must not take it twice.
@safe final class SharedMutex<Value: ~Copyable & Sendable>: @unchecked Sendable {
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    /// Takes over a value.
    init(_ value: consuming Value) {
        self.value = value
        unsafe lock = .allocate(capacity: 1)
        var attributes = pthread_rwlockattr_t()
        unsafe pthread_rwlockattr_init(&attributes)
        unsafe pthread_rwlockattr_setkind_np(
            &attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        let code = unsafe pthread_rwlock_init(lock, &attributes)
        unsafe pthread_rwlockattr_destroy(&attributes)
        precondition(code == 0, "pthread_rwlock_init fails for want of memory alone")
    }

    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Runs a change, alone.
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let code = unsafe pthread_rwlock_wrlock(lock)
        precondition(code == 0, "the thread has the lock already")
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body(&value)
    }

    /// Runs a look, together with others who look.
    func withSharedLock<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let code = unsafe pthread_rwlock_rdlock(lock)
        precondition(code == 0, "the thread has the lock already, or too many look")
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body(value)
    }
}
