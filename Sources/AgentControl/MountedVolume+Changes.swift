public import DataProtection
internal import Dispatch
internal import Synchronization

extension MountedVolume: ProtectedDataAvailability {
    /// Whether data of class `complete` can be used now; not when the volume is not mounted.
    public var isProtectedDataAvailable: Bool {
        get async { (try? status())?.state.isProtectedDataAvailable ?? false }
    }

    /// The present answer, and every other one after it. The sequence ends when the volume is
    /// unmounted, or the agent dies, with `false` before that.
    public var protectedDataChanges: AsyncStream<Bool> {
        AsyncStream { continuation in
            let changes = AvailabilityChanges(continuation)
            let watch = watch { news in
                guard let news else {
                    changes.tell(false)
                    return continuation.finish()
                }
                changes.tell(news.status.state.isProtectedDataAvailable)
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// How it is now, and each time that this changes. The sequence ends when the volume is
    /// unmounted, or the agent dies.
    public var statuses: AsyncStream<MountStatus> {
        AsyncStream { continuation in
            let told = Mutex<MountStatus?>(nil)
            let watch = watch { news in
                guard let news else { return continuation.finish() }
                let isNew = told.withLock { told in
                    defer { told = news.status }
                    return told != news.status
                }
                if isNew { continuation.yield(news.status) }
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// The lock's events, the current state first, as a volume of one's own tells them. The
    /// sequence ends when the volume is unmounted, or the agent dies.
    ///
    /// *Will become unavailable* does not hold the lock up: it may be over when that is heard.
    public var lockEvents: AsyncStream<LockEvent> {
        AsyncStream { continuation in
            let watch = observeLock { event in
                guard let event else { return continuation.finish() }
                continuation.yield(event)
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// Calls back on a thread of its own with the lock's events, the current state first, and with
    /// `nil` at the end.
    package func observeLock(
        _ handler: @escaping @Sendable (LockEvent?) -> Void
    ) -> LockObservation {
        watch { news in
            guard let news else { return handler(nil) }
            switch news.event {
            case .current: handler(.current(news.status.state))
            case .willBecomeUnavailable: handler(.willBecomeUnavailable)
            case .didBecomeUnavailable: handler(.didBecomeUnavailable)
            case .didBecomeAvailable: handler(.didBecomeAvailable)
            case .state: break
            }
        }
    }

    /// Calls back on a thread of its own with everything the agent tells, and with `nil` at the
    /// end.
    private func watch(
        _ hear: @escaping @Sendable ((event: AgentReply.Event, status: MountStatus)?) -> Void
    ) -> LockObservation {
        let open = try? link(timeout: 0)
        guard let open, (try? open.send(AgentRequest(.watch))) != nil else {
            hear(nil)
            return LockObservation {}
        }
        let socket = open.socket
        let watched = WatchedLink(link: open)
        DispatchQueue(label: "MountedVolume").async {
            while let reply = try? watched.link.receive(), let status = reply.status {
                hear((reply.event ?? .current, status))
            }
            hear(nil)
        }
        return LockObservation { socket.shutDown() }
    }
}

/// Used by the reading thread alone.
private struct WatchedLink: @unchecked Sendable {
    let link: AgentLink
}
