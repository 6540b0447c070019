internal import FoundationEssentials

/// The files of an outbox's items: one for each, on shelves of 1024 numbers, so that neither a
/// listing nor what is kept of it grows with the outbox.
struct OutboxShelves {
    let volume: ProtectedVolume
    /// The outbox's folder.
    let folder: String
    /// The names of one shelf that are still to be looked at, in order.
    private var listed: (shelf: Int64, names: ArraySlice<OutboxName>)?

    init(_ folder: String, in volume: ProtectedVolume) {
        self.folder = folder
        self.volume = volume
    }

    /// Where an item's file is.
    func path(_ name: OutboxName) -> String { shelfPath(name.shelf) + "/" + name.text }

    private func shelfPath(_ shelf: Int64) -> String { folder + "/" + OutboxName.digits(shelf) }

    /// The shelves there are, in order.
    func shelves() throws(ProtectionError) -> [Int64] {
        try volume.list(folder).compactMap { OutboxName.number($0.name) }.sorted()
    }

    /// The items on a shelf, in order.
    func items(on shelf: Int64) throws(ProtectionError) -> [OutboxName] {
        do throws(ProtectionError) {
            return try volume.list(shelfPath(shelf)).compactMap { OutboxName($0.name) }
                .filter { $0.shelf == shelf }.sorted()
        } catch {
            // A shelf that was emptied is removed.
            guard error.code == .missing else { throw error }
            return []
        }
    }

    /// The first item behind a number; `nil` when there is none.
    mutating func next(after number: Int64) throws(ProtectionError) -> OutboxName? {
        let first = OutboxName(after: number).shelf
        if listed?.shelf == first, let name = nextListed(after: number) { return name }
        for shelf in try shelves() where shelf >= first {
            listed = (shelf, try items(on: shelf)[...])
            if let name = nextListed(after: number) { return name }
        }
        listed = nil
        return nil
    }

    /// Whether no other item of its shelf is known to come.
    func isLast(_ name: OutboxName) -> Bool {
        guard let listed, listed.shelf == name.shelf else { return true }
        return !listed.names.contains { $0 > name }
    }

    private mutating func nextListed(after number: Int64) -> OutboxName? {
        guard let (shelf, names) = listed else { return nil }
        let rest = names.drop { $0.number <= number }
        listed = (shelf, rest)
        return rest.first
    }

    /// Lists afresh: somebody may have decided about items that were passed over.
    mutating func forgetListing() { listed = nil }

    /// The item of a number; `nil` when there is none.
    func name(of number: Int64) throws(ProtectionError) -> OutboxName? {
        guard (1...OutboxName.highestNumber).contains(number) else { return nil }
        return try items(on: OutboxName(number: number, bodyByteCount: 0).shelf)
            .first { $0.number == number }
    }

    /// Writes an item: it is there as a whole or not at all, and durable on return.
    ///
    /// - Throws: `sealed` when the class cannot be made now, `noSpace`; nothing is left then.
    mutating func write(
        _ record: OutboxItemRecord, _ body: Data, class protectionClass: ProtectionClass
    ) throws(ProtectionError) {
        let name = OutboxName(number: record.number, bodyByteCount: record.bodyByteCount)
        do throws(ProtectionError) {
            try fill(path(name), record, body, protectionClass)
        } catch {
            guard error.code == .missing else { throw error }
            try makeShelf(name.shelf)
            try fill(path(name), record, body, protectionClass)
        }
        if listed?.shelf == name.shelf { listed?.names.append(name) }
    }

    private func makeShelf(_ shelf: Int64) throws(ProtectionError) {
        do throws(ProtectionError) {
            try volume.makeFolder(shelfPath(shelf))
        } catch {
            guard error.code == .exists else { throw error }
        }
        try volume.synchronizeFolder(folder)
    }

    private func fill(
        _ path: String, _ record: OutboxItemRecord, _ body: Data,
        _ protectionClass: ProtectionClass
    ) throws(ProtectionError) {
        // What fits beside the record goes with it: one write of the first page instead of two.
        let first = min(body.count, 1 << 16)
        let bytes = record.bytes + body.prefix(first)
        let failure = try volume.replacing(
            path, class: protectionClass, mode: 0o600, rule: .exclusive
        ) { file throws(ProtectionError) in
            try file.write(bytes, at: 0)
            guard first < body.count else { return }
            try file.write(body.span.extracting(first...), at: Int64(bytes.count))
        }
        if let failure { throw failure.at(path) }
    }

    /// Removes an item's file, in every lock state; it is durable with the shelf's next sync.
    mutating func remove(_ name: OutboxName) throws(ProtectionError) {
        do throws(ProtectionError) {
            try volume.removeFile(path(name))
        } catch {
            guard error.code == .missing else { throw error }
        }
        if listed?.names.first == name {
            listed?.names.removeFirst()
        } else {
            listed?.names.removeAll { $0 == name }
        }
    }

    /// Makes durable what was removed from a shelf.
    func synchronize(_ shelf: Int64) throws(ProtectionError) {
        do throws(ProtectionError) {
            try volume.synchronizeFolder(shelfPath(shelf))
        } catch {
            guard error.code == .missing else { throw error }
            try volume.synchronizeFolder(folder)
        }
    }

    /// Removes what interrupted writes left half made.
    func sweepLeftovers() throws(ProtectionError) {
        try volume.sweepLeftovers(in: folder)
        for shelf in try shelves() { try volume.sweepLeftovers(in: shelfPath(shelf)) }
    }

    /// Where the words are that receivers refused items with.
    var reasonFolder: String { folder + "/reasons" }

    /// Where the words about one item are.
    func reasonPath(_ number: Int64) -> String { reasonFolder + "/" + OutboxName.digits(number) }

    /// Removes the words about items that are not refused any more: a crash came between.
    func sweepReasons(_ ledger: OutboxLedger) throws(ProtectionError) {
        do throws(ProtectionError) {
            for number in try volume.list(reasonFolder).compactMap({ OutboxName.number($0.name) })
            where ledger[number].reason != .refused {
                try volume.removeFile(reasonPath(number))
            }
        } catch {
            guard error.code == .missing else { throw error }
        }
    }

    /// Removes a shelf that is empty.
    func removeIfEmpty(_ shelf: Int64) { try? volume.removeFolder(shelfPath(shelf)) }
}

extension OutboxShelves {
    /// What is in an item's file, or what is wrong with it.
    enum Content {
        case item(OutboxItemRecord, Data)
        case unusable(OutboxReason)
        /// Somebody removed it.
        case gone
    }

    /// Reads an item.
    ///
    /// - Throws: `sealed`, and what the host says. Of these nothing is known about the item.
    func read(_ name: OutboxName) throws(ProtectionError) -> Content {
        do throws(ProtectionError) {
            let file = try volume.openFile(path(name), [.read, .noFollow])
            defer { file.close() }
            let head = try file.read(at: 0, count: OutboxItemRecord.fixedByteCount)
            return try read(file, head, name)
        } catch {
            switch error.code {
            case .missing: return .gone
            case .damaged: return .unusable(.damaged)
            case .isFolder, .symbolicLink, .notSupported: return .unusable(.foreign)
            default: throw error.at(path(name))
            }
        }
    }

    private func read(
        _ file: ProtectedFile, _ head: [UInt8], _ name: OutboxName
    ) throws(ProtectionError) -> Content {
        var record: OutboxItemRecord
        let nameByteCount: Int
        do throws(FormatError) {
            (record, nameByteCount) = try OutboxItemRecord.read(head, fileByteCount: file.size)
        } catch {
            switch error {
            case .newerVersion: return .unusable(.newerFormat)
            case .damaged: return .unusable(.foreign)
            }
        }
        guard record.number == name.number, record.bodyByteCount == name.bodyByteCount else {
            return .unusable(.foreign)
        }
        let offset = Int64(OutboxItemRecord.fixedByteCount)
        record.name = try file.read(at: offset, count: nameByteCount)
        let body = try file.data(at: offset + Int64(nameByteCount), upToCount: .max)
        guard Int64(body.count) == record.bodyByteCount else { return .unusable(.damaged) }
        return .item(record, body)
    }
}

extension OutboxName {
    /// The lowest name behind a number.
    fileprivate init(after number: Int64) {
        self.init(number: number + 1, bodyByteCount: 0)
    }
}
