internal import FoundationEssentials

extension ProtectedOutbox {
    /// What the outbox is doing now, and why it is not doing more.
    public var status: OutboxStatus {
        let quarantined = log.ledger.quarantinedCount
        return OutboxStatus(
            activity: presentActivity, pendingCount: itemCount - quarantined,
            quarantinedCount: quarantined, byteCount: byteCount, lastReason: lastReason,
            oldest: oldest)
    }

    /// The present status, and each one that comes after it; who is slow gets the newest. The
    /// sequence ends with the outbox.
    public var statuses: AsyncStream<OutboxStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            continuation.yield(status)
            nextListener += 1
            let number = nextListener
            listeners.append((number, continuation))
            continuation.onTermination = { [weak self] _ in
                Task { await self?.forgetListener(number) }
            }
        }
    }

    private func forgetListener(_ number: Int) { listeners.removeAll { $0.number == number } }

    /// Tells the present status to everybody who listens.
    func publish() {
        guard !listeners.isEmpty else { return }
        let status = status
        for listener in listeners { listener.continuation.yield(status) }
    }

    private var presentActivity: OutboxStatus.Activity {
        if case .sending = activity { return activity }
        return log.ledger.isPaused ? .waiting(.paused) : activity
    }

    private var oldest: Date? {
        var looked = shelves
        guard let name = try? looked.next(after: 0),
            let attributes = try? volume.attributes(of: shelves.path(name))
        else { return nil }
        return Date(attributes.modificationTime)
    }
}
