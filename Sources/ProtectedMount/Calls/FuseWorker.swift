internal import CFuse
internal import Glibc
internal import Synchronization

/// One thread that serves requests, with its buffers.
///
/// Both buffers are this thread's alone. What of them held content is wiped before the next request
/// is read, so that nothing is left in them when the volume locks.
@safe final class FuseWorker: @unchecked Sendable {
    /// Where a reply's bytes are put together.
    let reply: UnsafeMutableRawPointer
    private let request: UnsafeMutableRawPointer
    private let session: OpaquePointer
    private let turn: ReaderTurn
    /// Whether the buffers hold content now; read by the thread that locks.
    let holdsContent = Atomic(false)
    /// What of the request libfuse does not pass on.
    private(set) var extras = RequestExtras()

    /// How long each buffer is: what libfuse asks for, 1 MiB and a page.
    static let bufferByteCount = 256 * 4096 + 4096
    private static let pageByteCount = 4096

    init(_ session: OpaquePointer, _ turn: ReaderTurn) {
        unsafe self.session = session
        self.turn = turn
        unsafe reply = .allocate(
            byteCount: Self.bufferByteCount, alignment: Self.pageByteCount)
        unsafe request = .allocate(
            byteCount: Self.bufferByteCount, alignment: Self.pageByteCount)
    }

    deinit {
        unsafe reply.deallocate()
        unsafe request.deallocate()
    }

    /// Serves until the file system is gone.
    func run() {
        Self.setCurrent(self)
        var buffer = unsafe fuse_buf()
        turn.take()
        while unsafe fuse_session_exited(session) == 0 {
            unsafe buffer.mem = request
            unsafe buffer.size = Self.bufferByteCount
            let count = unsafe fuse_session_receive_buf(session, &buffer)
            if count == -EINTR { continue }
            if count <= 0 { break }
            extras = unsafe RequestExtras(
                unsafe UnsafeRawBufferPointer(start: request, count: Int(count)))
            if extras.mayTakeLong {
                turn.give()
                unsafe fuse_session_process_buf(session, &buffer)
                turn.take()
            } else {
                let number = turn.beginServing()
                unsafe fuse_session_process_buf(session, &buffer)
                if !turn.endServing(number) { turn.take() }
            }
        }
        turn.give()
        unsafe fuse_session_exit(session)
    }

    /// Notes that content is about to come into the buffers.
    func beginContent() { holdsContent.store(true, ordering: .releasing) }

    /// Wipes what of the reply, or of a request's payload, held content.
    func endContent(wiping bytes: UnsafeMutableRawBufferPointer?) {
        if let bytes = unsafe bytes, let start = bytes.baseAddress {
            unsafe explicit_bzero(start, bytes.count)
        }
        holdsContent.store(false, ordering: .releasing)
    }
}

// MARK: - The worker of a thread

extension FuseWorker {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "a program has 1024 of them")
        return key
    }()

    private static func setCurrent(_ worker: FuseWorker) {
        // The thread keeps the worker alive while it runs.
        _ = unsafe pthread_setspecific(key, Unmanaged.passUnretained(worker).toOpaque())
    }

    /// Whether this thread is a worker's.
    static var isServing: Bool { unsafe pthread_getspecific(key) != nil }

    /// The worker whose thread this is.
    static var current: FuseWorker {
        guard let pointer = unsafe pthread_getspecific(key) else {
            preconditionFailure("requests are served by workers")
        }
        return unsafe Unmanaged<FuseWorker>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Starts the thread.
    ///
    /// - Returns: whether there was room for one more.
    func start(then finish: @escaping @Sendable () -> Void) -> Bool {
        startThread {
            self.run()
            finish()
        }
    }
}

/// Runs a body on a thread of its own.
///
/// - Returns: whether there was room for one more.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    let code = unsafe pthread_create(
        &thread, nil,
        { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }, argument)
    guard code == 0 else {
        unsafe Unmanaged<Body>.fromOpaque(argument).release()
        return false
    }
    pthread_detach(thread)
    return true
}
