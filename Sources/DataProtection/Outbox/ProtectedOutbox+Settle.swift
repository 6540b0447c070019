internal import FoundationEssentials

/// What becomes of an item after an attempt.
extension ProtectedOutbox {
    /// The time by the clock on the wall.
    var now: Date { Date(milliseconds: volume.dateClock()) }

    /// Writes down how an attempt ended.
    ///
    /// - Throws: `noSpace`, `host` when a delivery could not be written down in any way: the item
    ///   is not sent again in this process, and may be in another one, with its key. What a drop
    ///   throws that waited for this.
    func settle(
        _ name: OutboxName, _ item: OutboxItem, _ outcome: OutboxAttempt.Outcome, renewals: Int,
        _ report: inout DrainReport
    ) throws(ProtectionError) {
        // Its closure may have dropped it itself.
        guard log.ledger[name.number].state != .done else { return }
        switch outcome {
        case .delivered:
            dropRequests[name.number] = nil
            report.sentCount += 1
            try deliver(name)
        case .deadline:
            if try dropIfAsked(name) { return }
            fail(name, item, .deadline, least: nil, &report)
        case .failed(let error):
            if try dropIfAsked(name) { return }
            if error.isLocked || error is OutboxUnavailable { return takeBack(item) }
            // Who cancels a drain says nothing of the receiver, whatever the closure makes of it.
            if Task.isCancelled { return }
            guard let failure = error as? OutboxFailure else {
                return fail(name, item, .failed, least: nil, &report)
            }
            switch failure {
            case .tryLater(let least): fail(name, item, .later, least: least, &report)
            case .refused(let text):
                refuse(name, item, .refused, &report)
                keep(text, of: name)
            case .needsAuthentication:
                // New credentials may have come while the old ones were tried.
                needsAuthentication = renewals == renewalCount
                takeBack(item)
            }
        }
    }

    /// Removes an item whose drop waited for its closure.
    private func dropIfAsked(_ name: OutboxName) throws(ProtectionError) -> Bool {
        guard dropRequests[name.number] != nil else { return false }
        try remove(name)
        dropRequests[name.number] = true
        return true
    }

    /// An attempt that was none: the receiver was not asked for this item's sake.
    private func takeBack(_ item: OutboxItem) {
        try? log.append(
            OutboxLogRecord(
                .attempt, attempt: UInt32(clamping: item.attempt - 1), number: item.id,
                failureCount: log.ledger[item.id].failureCount),
            durably: false)
    }

    private func deliver(_ name: OutboxName) throws(ProtectionError) {
        let hadReason = log.ledger[name.number].reason == .refused
        var failure: ProtectionError?
        do throws(ProtectionError) {
            try log.append(OutboxLogRecord(.delivered, number: name.number), durably: true)
        } catch {
            failure = error
        }
        if hadReason { forgetReason(name.number) }
        do throws(ProtectionError) {
            try shelves.remove(name)
            removed(name)
            // That the file is gone says the same, and on a full disk it makes room.
            if failure != nil { try shelves.synchronize(name.shelf) }
        } catch {
            // With the delivery on the disk, the file is removed when the outbox is next opened.
            if failure != nil { throw error }
        }
    }

    private func fail(
        _ name: OutboxName, _ item: OutboxItem, _ reason: OutboxReason, least: Duration?,
        _ report: inout DrainReport
    ) {
        lastReason = reason
        let failures = log.ledger[item.id].failureCount + (reason == .later ? 0 : 1)
        guard reason == .later || failures < options.attemptLimit else {
            return refuse(name, item, .attemptLimit, &report)
        }
        report.retriedCount += 1
        let attempt = UInt32(clamping: item.attempt)
        // In memory in any case; a crash that loses it costs an attempt that comes too early.
        try? log.append(
            OutboxLogRecord(
                .retry, reason: reason, attempt: attempt, number: item.id,
                time: volume.dateClock(),
                milliseconds: backOff.milliseconds(after: attempt, least: least),
                failureCount: failures),
            durably: true)
    }

    private func refuse(
        _ name: OutboxName, _ item: OutboxItem, _ reason: OutboxReason,
        _ report: inout DrainReport
    ) {
        report.quarantinedCount += 1
        let kind: OutboxLogRecord.Kind =
            options.refusedItems == .stopTheLane ? .blocked : .setAside
        quarantine(name, reason, kind, attempt: UInt32(clamping: item.attempt))
    }

    /// Keeps an item for a person.
    func quarantine(
        _ name: OutboxName, _ reason: OutboxReason, _ kind: OutboxLogRecord.Kind, attempt: UInt32
    ) {
        lastReason = reason
        // A crash that loses it costs one more attempt, which ends the same way.
        try? log.append(
            OutboxLogRecord(
                kind, reason: reason, attempt: attempt, number: name.number,
                failureCount: log.ledger[name.number].failureCount),
            durably: true)
        head = nil
    }

    /// Counts an item out.
    func removed(_ name: OutboxName) {
        itemCount -= 1
        byteCount -= name.bodyByteCount
        if head?.id == name.number { head = nil }
    }

    /// Removes a shelf that was emptied, and shortens a log that has become long.
    func tidy(behind name: OutboxName) {
        if shelves.isLast(name), name.shelf < nextNumber >> 10 { shelves.removeIfEmpty(name.shelf) }
        guard log.isLong else { return }
        // What fails here is done another time: the long log says the same.
        try? shorten()
    }

    private func shorten() throws(ProtectionError) {
        try Self.sweep(&shelves, &log)
        try log.shorten()
    }
}

/// What a receiver said when it refused an item: as private as the item itself.
extension ProtectedOutbox {
    /// Keeps the text with a class that can be made in every lock state and read only when the item
    /// can. What fails here loses a text, and no item.
    private func keep(_ text: String, of name: OutboxName) {
        guard !text.isEmpty else { return }
        try? volume.makeFolder(shelves.reasonFolder)
        try? volume.write(
            Array(text.shortened(toByteCount: 4096).utf8), to: shelves.reasonPath(name.number),
            class: .completeUnlessOpen)
    }

    /// What the receiver said when it refused the item; `nil` for nothing.
    ///
    /// - Throws: `sealed` while locked: it is as private as the item.
    public func refusalText(of id: OutboxItem.ID) throws(ProtectionError) -> String? {
        do throws(ProtectionError) {
            return String(decoding: try volume.read(shelves.reasonPath(id)), as: UTF8.self)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }

    func forgetReason(_ number: Int64) { try? volume.removeFile(shelves.reasonPath(number)) }
}

extension String {
    /// As much of the text as fits into so many bytes of UTF-8, without a part of a character.
    fileprivate func shortened(toByteCount limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
