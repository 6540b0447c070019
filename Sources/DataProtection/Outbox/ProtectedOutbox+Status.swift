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

    /// What the last drain said, as long as it is so.
    private var presentActivity: OutboxStatus.Activity {
        if log.ledger.isPaused, sending == nil { return .waiting(.paused) }
        guard case .waiting(let status) = activity else { return activity }
        let isSo =
            switch status {
            case .drained, .paused: false
            case .waitingForUnlock: !volume.isProtectedDataAvailable && oldest != nil
            case .waitingForRetry:
                waitingAttempt.map { log.ledger[$0.id].wait(at: volume.dateClock()) != nil }
                    ?? false
            case .waitingForAuthentication: needsAuthentication
            case .blocked(let id, _): log.ledger[id].state == .blocked
            }
        return isSo ? activity : .idle
    }

    private var oldest: Date? {
        if let head { return head.savedAt }
        guard itemCount > log.ledger.quarantinedCount else { return nil }
        var looked = shelves
        var last: Int64 = 0
        while let name = try? looked.next(after: last) {
            last = name.number
            let entry = log.ledger[name.number]
            if entry.isQuarantined || entry.state == .done { continue }
            guard let attributes = try? volume.attributes(of: shelves.path(name)) else { continue }
            head = (name.number, Date(attributes.modificationTime))
            return head?.savedAt
        }
        return nil
    }
}
