internal import FoundationEssentials

extension ProtectedOutbox {
    /// Sends what waits, in order, one item at a time, until nothing does or something stops it.
    ///
    /// A second call while one runs waits for that one to end, and looks for itself at what that
    /// has left; if nothing is left, it returns what that returned.
    ///
    /// - Parameter send: delivers one item. It returns when the receiver has it, for certain, and
    ///   throws otherwise (`OutboxFailure` says what an answer means). It is given the same
    ///   `key` at each attempt, which the receiver has to be told. It may save and drop items, its
    ///   own too, and cannot drain this outbox: that is refused, because it would wait for itself.
    /// - Returns: how it ended. None of the answers is an error.
    /// - Throws: `CancellationError` when the task was cancelled; the reason of an
    ///   `OutboxUnavailable`; what the host says (`host`, `closed`). Nothing is lost then either.
    public func drain(
        send: @escaping @Sendable (OutboxItem) async throws -> Void
    ) async throws -> DrainStatus {
        try await drainReport(send: send).status
    }

    /// As `drain(send:)`, with counts of what was done.
    public func drainReport(
        send: @escaping @Sendable (OutboxItem) async throws -> Void
    ) async throws -> DrainReport {
        guard !isHandingOver else { throw ProtectionError.drainWaitsForItself }
        while isDraining {
            let signal = WakeSignal()
            joiners.append(signal)
            await signal.wait()
            try Task.checkCancellation()
            // Anything else may be another answer by now, and another's error is not this call's.
            if let lastReport, case .drained = lastReport.status { return lastReport }
        }
        isDraining = true
        lastReport = nil
        defer {
            isDraining = false
            if case .sending = activity { activity = .idle }
            publish()
            let waiting = joiners
            joiners = []
            for joiner in waiting { joiner.raise() }
        }
        activity = .idle
        let report = try await sendAll(send)
        lastReport = report
        if case .drained = report.status {} else { activity = .waiting(report.status) }
        return report
    }

    /// What comes next.
    private enum Step {
        case end(DrainStatus)
        case skip
        case send(OutboxName, OutboxItem)
    }

    private func sendAll(
        _ send: @escaping @Sendable (OutboxItem) async throws -> Void
    ) async throws -> DrainReport {
        var report = DrainReport(status: .paused)
        var last: Int64 = 0
        mustLookAgain = true
        while true {
            try Task.checkCancellation()
            if mustLookAgain {
                mustLookAgain = false
                last = 0
                shelves.forgetListing()
            }
            let step = try nextStep(after: &last, &report)
            switch step {
            case .skip: continue
            case .end(let status): return end(status, report)
            case .send(let name, let item):
                let (renewals, unlockCount) = (renewalCount, unlocks.value)
                let outcome = await hand(item, to: send)
                try settle(name, item, outcome, renewals: renewals, &report)
                if case .failed(let error) = outcome {
                    if let unavailable = error as? OutboxUnavailable { throw unavailable.reason }
                    // Whoever was told of an unlock in between has joined this drain.
                    if error.isLocked, unlocks.value == unlockCount {
                        return end(.waitingForUnlock, report)
                    }
                }
                tidy(behind: name)
            }
        }
    }

    private func end(_ status: DrainStatus, _ report: DrainReport) -> DrainReport {
        var report = report
        report.status = status
        report.remainingCount = itemCount - log.ledger.quarantinedCount
        return report
    }

    /// Decides about the next item, by what its file and the log say now.
    private func nextStep(
        after last: inout Int64, _ report: inout DrainReport
    ) throws(ProtectionError) -> Step {
        if log.ledger.isPaused { return .end(.paused) }
        if needsAuthentication { return .end(.waitingForAuthentication) }
        guard let name = try shelves.next(after: last) else {
            // Somebody removed files of ours, or put some there.
            if itemCount != log.ledger.quarantinedCount { try count() }
            return .end(.drained(report.sentCount))
        }
        // From here on nothing before it is looked at, and no shelf before its own.
        last = name.number - 1
        let entry = log.ledger[name.number]
        switch entry.state {
        case .blocked: return .end(.blocked(name.number, entry.reason ?? .refused))
        case .setAside, .done:
            last = name.number
            return .skip
        case .retry:
            let until = entry.wait(at: volume.dateClock())
            let attempt = (name.number, entry.attemptCount)
            waitingAttempt = attempt
            if let until, waitedAttempt.map({ $0 == attempt }) != true {
                return .end(.waitingForRetry(until: Date(milliseconds: until)))
            }
        case .pending: break
        }
        do throws(ProtectionError) {
            return try read(name, entry, &last, &report)
        } catch {
            // The read's own answer, whatever was true when it began.
            guard error.code == .sealed else { throw error }
            return .end(.waitingForUnlock)
        }
    }

    private func read(
        _ name: OutboxName, _ entry: OutboxLedger.Entry, _ last: inout Int64,
        _ report: inout DrainReport
    ) throws(ProtectionError) -> Step {
        switch try shelves.read(name) {
        case .gone:
            last = name.number
            removed(name)
            return .skip
        case .unusable(let reason):
            // What is wrong with a sealed item is said when it could be read.
            guard mayBeRead(name) else { return .end(.waitingForUnlock) }
            last = name.number
            report.quarantinedCount += 1
            quarantine(name, reason, .setAside, attempt: entry.attemptCount)
            return .skip
        case .item(let record, let body):
            let item = OutboxItem(record, body, attempt: Int(entry.attemptCount) + 1)
            if let age = options.longestAge, !entry.isRevived,
                item.savedAt.addingTimeInterval(TimeInterval(age.milliseconds) / 1000) < now
            {
                last = name.number
                report.quarantinedCount += 1
                quarantine(name, .expired, .setAside, attempt: entry.attemptCount)
                return .skip
            }
            return .send(name, item)
        }
    }

    private func mayBeRead(_ name: OutboxName) -> Bool {
        let found = try? volume.attributes(of: shelves.path(name))
        guard let protectionClass = found?.protectionClass else {
            return volume.isProtectedDataAvailable
        }
        return volume.availability(of: protectionClass).canOpen
    }

    /// Hands an item to the closure, and waits for the end.
    private func hand(
        _ item: OutboxItem, to send: @escaping @Sendable (OutboxItem) async throws -> Void
    ) async -> OutboxAttempt.Outcome {
        waitedAttempt = nil
        // Not made durable: that would cost a sync for each item, and a power cut that loses the
        // count loses nothing else. Where it cannot be written at all, draining is what makes room.
        try? log.append(
            OutboxLogRecord(
                .attempt, attempt: UInt32(clamping: item.attempt), number: item.id,
                failureCount: log.ledger[item.id].failureCount),
            durably: false)
        let attempt = OutboxAttempt(
            item, place: OutboxPlace(outbox: ObjectIdentifier(self), item: item.id),
            deadline: options.sendDeadline, clock: volume.clock, send: send)
        sending = (item.id, attempt)
        activity = .sending(item.id, attempt: item.attempt, since: now)
        publish()
        let outcome = await attempt.outcome
        sending = nil
        let waiting = sendingWaiters
        sendingWaiters = []
        defer { for waiter in waiting { waiter.resume() } }
        return outcome
    }
}

extension OutboxItem {
    /// What a file holds, as the closure gets it.
    init(_ record: OutboxItemRecord, _ body: Data, attempt: Int) {
        id = record.number
        key = record.key.map {
            let digits = String($0, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        name = String(decoding: record.name, as: UTF8.self)
        self.body = body
        savedAt = Date(milliseconds: record.savedAt)
        self.attempt = attempt
    }
}

extension Date {
    /// A point in time.
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: TimeInterval(milliseconds) / 1000)
    }
}
