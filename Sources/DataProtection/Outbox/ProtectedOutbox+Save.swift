internal import Cryptography
public import FoundationEssentials

extension ProtectedOutbox {
    /// Saves something that is to be sent. It is there as a whole, and durable, when this returns.
    ///
    /// - Parameters:
    ///   - body: what is to be sent.
    ///   - name: a label for people, sealed with the body. The same name twice makes two items.
    ///   - protectionClass: the item's class; `nil` takes `options.protectionClass` and, where that
    ///     cannot be made in this lock state, `options.classWhileLocked`.
    /// - Returns: names the item.
    /// - Throws: `sealed` when its class cannot be made now, `noSpace` when the disk or the outbox
    ///   is full, `invalidArgument` for a body or name that is too long. Nothing of it is left
    ///   then.
    @discardableResult
    public func save(
        _ body: Data, named name: String = "", class protectionClass: ProtectionClass? = nil
    ) throws(ProtectionError) -> OutboxItem.ID {
        try requireRoom(body.count, name)
        let record = OutboxItemRecord(
            number: nextNumber, key: SecureRandom.bytes(identifierByteCount),
            savedAt: volume.dateClock(), name: Array(name.utf8),
            bodyByteCount: Int64(body.count))
        // Used up also when this fails: a name that was made may still be there after a crash.
        nextNumber += 1
        do throws(ProtectionError) {
            try write(record, body, protectionClass)
        } catch {
            try? shelves.remove(
                OutboxName(number: record.number, bodyByteCount: record.bodyByteCount))
            throw error.moved(to: folder)
        }
        itemCount += 1
        byteCount += record.bodyByteCount
        publish()
        wakeRunners()
        return record.number
    }

    private func write(
        _ record: OutboxItemRecord, _ body: Data, _ wanted: ProtectionClass?
    ) throws(ProtectionError) {
        if wanted == ProtectionClass.none {
            throw .outboxOption("class none would leave the item readable on a locked device")
        }
        do throws(ProtectionError) {
            try shelves.write(record, body, class: wanted ?? options.protectionClass)
        } catch {
            guard error.code == .sealed, wanted == nil, let other = options.classWhileLocked else {
                throw error
            }
            try shelves.write(record, body, class: other)
        }
    }

    private func requireRoom(_ bodyByteCount: Int, _ name: String) throws(ProtectionError) {
        guard bodyByteCount <= options.itemByteLimit else {
            throw .outboxItemTooLong(bodyByteCount, limit: options.itemByteLimit)
        }
        guard name.utf8.count <= options.nameByteLimit else {
            throw .outboxNameTooLong(name.utf8.count, limit: options.nameByteLimit)
        }
        guard nextNumber <= OutboxName.highestNumber else {
            throw .outboxFull("has used up its numbers", folder)
        }
        guard itemCount < options.itemCountLimit else {
            throw .outboxFull("holds \(itemCount) items", folder)
        }
        guard byteCount + Int64(bodyByteCount) <= options.byteLimit else {
            throw .outboxFull("would hold more than \(options.byteLimit) bytes", folder)
        }
    }
}
