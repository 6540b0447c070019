internal import FoundationEssentials

/// What a person or the app can see and decide.
extension ProtectedOutbox {
    /// The items, in order: what can be known of them in every lock state.
    ///
    /// - Parameters:
    ///   - id: only those behind this one; for reading a long outbox in parts.
    ///   - limit: at most so many.
    /// - Throws: `host`, `closed`.
    public func items(
        after id: OutboxItem.ID = 0, limit: Int = .max
    ) throws(ProtectionError) -> [OutboxItemSummary] {
        var found: [OutboxItemSummary] = []
        for shelf in try shelves.shelves() where shelf >= id >> 10 {
            for name in try shelves.items(on: shelf) where name.number > id {
                guard found.count < limit else { return found }
                if let summary = try summary(of: name) { found.append(summary) }
            }
        }
        return found
    }

    private func summary(of name: OutboxName) throws(ProtectionError) -> OutboxItemSummary? {
        let entry = log.ledger[name.number]
        guard entry.state != .done else { return nil }
        let attributes: ItemAttributes
        do throws(ProtectionError) {
            attributes = try volume.attributes(of: shelves.path(name))
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
        return OutboxItemSummary(
            id: name.number, state: state(of: name.number, entry),
            attemptCount: Int(entry.attemptCount), lastReason: entry.reason,
            byteCount: name.bodyByteCount, protectionClass: attributes.protectionClass,
            isSealed: attributes.isSealed, savedAt: Date(attributes.modificationTime))
    }

    private func state(
        of number: Int64, _ entry: OutboxLedger.Entry
    ) -> OutboxItemState {
        if sending?.id == number { return .sending }
        switch entry.state {
        case .pending, .done: return .pending
        case .retry:
            let until = entry.wait(at: volume.dateClock())
            return until.map { .waitingForRetry(until: Date(milliseconds: $0)) } ?? .pending
        case .blocked: return .blocked(entry.reason ?? .refused)
        case .setAside: return .setAside(entry.reason ?? .refused)
        }
    }

    /// Reads an item, without sending it.
    ///
    /// - Throws: `missing` when there is none of this number, `sealed`, `damaged`, `newerFormat`.
    public func item(_ id: OutboxItem.ID) throws(ProtectionError) -> OutboxItem {
        let name = try existingName(id)
        let content: OutboxShelves.Content
        do throws(ProtectionError) {
            content = try shelves.read(name)
        } catch {
            throw error.moved(to: "\(folder), item \(id)")
        }
        switch content {
        case .item(let record, let body): return OutboxItem(record, body, attempt: 0)
        case .unusable(let reason): throw .unusableItem(id, reason)
        case .gone: throw .noSuchItem(id)
        }
    }

    private func existingName(_ id: OutboxItem.ID) throws(ProtectionError) -> OutboxName {
        guard let name = try shelves.name(of: id), log.ledger[id].state != .done else {
            throw .noSuchItem(id)
        }
        return name
    }

    /// Has an item sent again when its turn comes, as if it had never failed, and however old it
    /// is. Its key stays.
    ///
    /// - Throws: `missing` when there is none of this number, `noSpace`, `host`.
    public func retry(_ id: OutboxItem.ID) throws(ProtectionError) {
        _ = try existingName(id)
        guard sending?.id != id else { return }
        try log.decide(OutboxLogRecord(.revived, number: id))
        forgetReason(id)
        looksAgain()
    }

    /// Has everything that waits for its next attempt tried now: there is a network again.
    ///
    /// Attempts count on. What was refused stays.
    public func retryNow() {
        for (number, entry) in log.ledger.entries {
            guard case .retry = entry.state else { continue }
            log.hasten(number)
        }
        looksAgain()
    }

    /// Tells everybody, and has a drain that runs begin at the first item again.
    private func looksAgain() {
        mustLookAgain = true
        head = nil
        changed()
    }

    /// Removes an item for good. If it is being sent, that is cancelled and waited for, unless its
    /// own closure asks; after this returned, it is not sent any more.
    ///
    /// - Throws: `missing` when there is none of this number, also when it was delivered while this
    ///   waited; `noSpace`, `host`: it is still there then, and can be dropped again.
    public func drop(_ id: OutboxItem.ID) async throws(ProtectionError) {
        while let sending, sending.id == id,
            Self.handedOver != OutboxPlace(outbox: ObjectIdentifier(self), item: id)
        {
            dropRequests[id] = false
            sending.attempt.cancelSending()
            await withCheckedContinuation { sendingWaiters.append($0) }
        }
        if dropRequests.removeValue(forKey: id) == true { return }
        try remove(try existingName(id))
    }

    func remove(_ name: OutboxName) throws(ProtectionError) {
        try log.decide(OutboxLogRecord(.dropped, number: name.number))
        forgetReason(name.number)
        try shelves.remove(name)
        removed(name)
        try shelves.synchronize(name.shelf)
        changed()
    }

    /// Hands an item over to a person, and removes it.
    ///
    /// - Parameters:
    ///   - id: the item.
    ///   - take: takes it, for instance into a file. When it throws, the item stays.
    /// - Throws: what `take` throws; `missing`, `sealed`, `damaged`, `newerFormat`, `busy` while it
    ///   is being sent.
    public func export(
        _ id: OutboxItem.ID, to take: @Sendable (OutboxItem) throws -> Void
    ) throws {
        let item = try item(id)
        guard sending?.id != id else { throw ProtectionError.itemIsBeingSent(id) }
        try take(item)
        try remove(try existingName(id))
    }

    /// Sends nothing until `resume()`, also after the process has ended. An item that is being sent
    /// may still arrive.
    public func pause() throws(ProtectionError) {
        guard !log.ledger.isPaused else { return }
        try log.decide(OutboxLogRecord(.paused))
        changed()
    }

    /// Goes on after `pause()`.
    public func resume() throws(ProtectionError) {
        guard log.ledger.isPaused else { return }
        try log.decide(OutboxLogRecord(.resumed))
        changed()
    }

    /// Goes on after `OutboxFailure.needsAuthentication`: there are new credentials.
    public func authenticationRenewed() {
        needsAuthentication = false
        renewalCount += 1
        changed()
    }

    private func changed() {
        publish()
        wakeRunners()
    }
}

extension Date {
    /// A file's time.
    init(_ time: FileTime) {
        self.init(
            timeIntervalSince1970: TimeInterval(time.seconds)
                + TimeInterval(time.nanoseconds) / 1_000_000_000)
    }
}
