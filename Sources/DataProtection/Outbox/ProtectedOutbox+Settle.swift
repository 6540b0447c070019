internal import FoundationEssentials

/// What becomes of an item after an attempt.
extension ProtectedOutbox {
    /// The time by the clock on the wall.
    var now: Date { Date(milliseconds: volume.wallClock() * 1000) }

    /// Writes down how an attempt ended.
    ///
    /// - Throws: `noSpace`, `host` when a delivery could not be written down in any way: the item
    ///   is not sent again in this process, and may be in another one, with its key.
    func settle(
        _ name: OutboxName, _ item: OutboxItem, _ outcome: OutboxAttempt.Outcome,
        _ report: inout DrainReport
    ) throws(ProtectionError) {
        switch outcome {
        case .delivered:
            report.sentCount += 1
            try deliver(name)
        case .deadline: fail(name, item, .deadline, least: nil, &report)
        case .failed(let error):
            if error.isLocked || error is OutboxUnavailable { return takeBack(item) }
            guard let failure = error as? OutboxFailure else {
                // Cancelling says nothing about the receiver.
                if error is CancellationError, Task.isCancelled { return }
                return fail(name, item, .failed, least: nil, &report)
            }
            switch failure {
            case .tryLater(let least): fail(name, item, .later, least: least, &report)
            case .refused(let text):
                refuse(name, item, .refused, &report)
                keep(text, of: name)
            case .needsAuthentication:
                needsAuthentication = true
                takeBack(item)
            }
        }
    }

    /// An attempt that was none: the receiver was not asked for this item's sake.
    private func takeBack(_ item: OutboxItem) {
        try? log.append(
            OutboxLogRecord(
                .attempt, attempt: UInt32(clamping: item.attempt - 1), number: item.id),
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
        guard reason == .later || item.attempt < options.attemptLimit else {
            return refuse(name, item, .attemptLimit, &report)
        }
        report.retriedCount += 1
        let attempt = UInt32(clamping: item.attempt)
        // In memory in any case; a crash that loses it costs an attempt that comes too early.
        try? log.append(
            OutboxLogRecord(
                .retry, reason: reason, attempt: attempt, number: item.id,
                time: volume.wallClock() * 1000,
                milliseconds: backOff.milliseconds(after: attempt, least: least)),
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
            OutboxLogRecord(kind, reason: reason, attempt: attempt, number: name.number),
            durably: true)
    }

    /// Counts an item out.
    func removed(_ name: OutboxName) {
        itemCount -= 1
        byteCount -= name.bodyByteCount
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
    private var reasonFolder: String { folder + "/reasons" }

    private func reasonPath(_ number: Int64) -> String {
        reasonFolder + "/" + OutboxName.digits(number)
    }

    /// Keeps the text with a class that can be made in every lock state and read only when the item
    /// can. What fails here loses a text, and no item.
    private func keep(_ text: String, of name: OutboxName) {
        guard !text.isEmpty else { return }
        try? volume.makeFolder(reasonFolder)
        try? volume.write(
            Array(text.utf8.prefix(4096)), to: reasonPath(name.number), class: .completeUnlessOpen)
    }

    /// What the receiver said when it refused the item; `nil` for nothing.
    ///
    /// - Throws: `sealed` while locked: it is as private as the item.
    public func refusalText(of id: OutboxItem.ID) throws(ProtectionError) -> String? {
        do throws(ProtectionError) {
            return String(decoding: try volume.read(reasonPath(id)), as: UTF8.self)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }

    func forgetReason(_ number: Int64) { try? volume.removeFile(reasonPath(number)) }
}
