internal import CFuse
internal import DataProtection
internal import Glibc
internal import Synchronization

/// A mounted file system: libfuse's session, its threads, and what drops the kernel's pages.
@safe final class FuseSession: @unchecked Sendable {
    let server: MountServer
    private let session: OpaquePointer
    private let workers: [FuseWorker]
    private let turn = ReaderTurn()
    private let state = Mutex(State())

    private struct State {
        var runningCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isOver = false
        var cacheNumber: Int?
    }

    /// Mounts, and starts to serve.
    ///
    /// - Parameter options: as behind `-o` of mount(8).
    init(
        _ server: MountServer, at path: String, options: String
    ) throws(ProtectionError) {
        self.server = server
        let made = try unsafe Self.makeSession(server, options)
        unsafe session = made
        LibraryLog.begin()
        guard unsafe fuse_session_mount(made, path) == 0 else {
            unsafe fuse_session_destroy(made)
            unsafe Unmanaged.passUnretained(server).release()
            throw .mountFailed(LibraryLog.end())
        }
        _ = LibraryLog.end()
        unsafe Self.watchReplies(made)
        let turn = turn
        workers = (0..<Self.workerCount).map { _ in unsafe FuseWorker(made, turn) }
        state.withLock { $0.runningCount = workers.count }
        _ = turn.startWatch()
        for (index, worker) in workers.enumerated()
        where !worker.start(then: { [self] in finishOne() }) {
            let missing = workers.count - index
            if index == 0 {
                turn.endWatch()
                unsafe fuse_session_unmount(made)
                unsafe fuse_session_destroy(made)
                throw .noThreads()
            }
            state.withLock { $0.runningCount -= missing }
            break
        }
        let number = server.volume.addCache(dropping: { [weak self] in self?.dropSealedPages() })
        state.withLock { $0.cacheNumber = number }
        server.dropPages.withLock { $0.drop = { [weak self] in self?.dropPages(of: $0) } }
    }

    /// Two for each core: one may wait for the disk while another works.
    private static var workerCount: Int {
        max(4, min(16, sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2))
    }

    private static func makeSession(
        _ server: MountServer, _ options: String
    ) throws(ProtectionError) -> OpaquePointer {
        let texts = ["seal", "-o", options]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe words.forEach { unsafe free($0) } }
        var operations = Operations.all()
        let data = unsafe Unmanaged.passRetained(server).toOpaque()
        let made = unsafe words.withUnsafeMutableBufferPointer { words in
            var arguments = unsafe fuse_args(
                argc: 3, argv: words.baseAddress, allocated: 0)
            defer { unsafe fuse_opt_free_args(&arguments) }
            return unsafe fuse_session_new(
                &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size, data)
        }
        guard let made = unsafe made else {
            unsafe Unmanaged.passUnretained(server).release()
            throw .mountFailed("libfuse refused the options")
        }
        return unsafe made
    }

    /// Has the answer to the kernel's first request say what libfuse 3.14 cannot say.
    private static func watchReplies(_ session: OpaquePointer) {
        var calls = fuse_custom_io()
        unsafe calls.read = { file, buffer, count, _ in unsafe Glibc.read(file, buffer, count) }
        unsafe calls.writev = { file, parts, count, _ in
            if FuseWorker.isServing, FuseWorker.current.extras.offersClearing, count > 1,
                let body = unsafe parts?[1].iov_base, unsafe parts![1].iov_len >= 16
            {
                // struct fuse_init_out: two versions, the read-ahead, then the flags.
                let flags = unsafe body.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
                unsafe body.storeBytes(
                    of: flags | RequestExtras.clearingFlag, toByteOffset: 12, as: UInt32.self)
            }
            return unsafe Glibc.writev(file, parts, count)
        }
        _ = unsafe fuse_session_custom_io(session, &calls, fuse_session_fd(session))
    }

    /// Ends one thread; the last one ends the session.
    private func finishOne() {
        let isLast = state.withLock { state in
            state.runningCount -= 1
            return state.runningCount == 0
        }
        guard isLast else { return }
        turn.endWatch()
        if let number = state.withLock({ $0.cacheNumber }) { server.volume.removeCache(number) }
        unsafe fuse_session_unmount(session)
        let waiters = state.withLock { state in
            state.isOver = true
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    deinit {
        unsafe fuse_session_destroy(session)
        unsafe Unmanaged.passUnretained(server).release()
    }

    /// Whether nothing is served any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Returns when nothing is served any more.
    func waitUntilOver() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}

// MARK: - Pages

extension FuseSession {
    /// Takes back from the kernel every page that it has of files which are sealed now. What is
    /// dirty comes down as writes while this goes on, for which the workers are free.
    private func dropSealedPages() {
        for node in server.nodes.all where node.kind == .file {
            guard node.mayBeCached.load(ordering: .acquiring) else { continue }
            switch server.nodes.openClass(of: node) {
            case .complete, nil: break
            case .completeUnlessOpen, .completeUntilFirstUserAuthentication, .some(.none): continue
            }
            // Content that passes from here on sets it again, for the second time round.
            node.mayBeCached.store(false, ordering: .sequentiallyConsistent)
            dropPages(of: node.number)
        }
        waitForBuffers()
    }

    /// Takes back the pages of one file.
    func dropPages(of number: UInt64) {
        _ = unsafe fuse_lowlevel_notify_inval_inode(session, number, 0, 0)
    }

    /// Returns when no buffer holds what was served before.
    private func waitForBuffers() {
        for worker in workers {
            var tries = 0
            // A disk that does not answer must not keep the keys here.
            while worker.holdsContent.load(ordering: .acquiring), tries < 2000 {
                usleep(100)
                tries += 1
            }
        }
    }
}
