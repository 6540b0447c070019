/// The two copies of the keybag in the volume's top folder.
package struct KeybagFiles: Sendable {
    /// What was found.
    package struct Found: Sendable {
        /// The copy that counts.
        package var record: KeybagRecord
        /// What is wrong with the other, in words; `nil` when both are whole and equal.
        package var fault: String?
        /// Whether the other may be written anew; not if it may be a later version's.
        package var mayRepair: Bool
    }

    private let folder: any BackingFolder

    /// Looks into a volume's top folder.
    package init(folder: any BackingFolder) { self.folder = folder }

    /// Reads both copies and chooses.
    ///
    /// - Throws: `notAVolume`, `newerFormat`, `damaged` when no copy is whole; `forbidden`, `host`
    ///   when none is and the host does not give one.
    package func read() throws(ProtectionError) -> Found {
        var whole: [(name: String, record: KeybagRecord)] = []
        var faults: [String] = []
        var isMissing = 0
        var newerVersion: UInt32?
        var refusal: HostError?
        for name in ReservedName.keybags {
            let bytes: [UInt8]
            do throws(HostError) {
                bytes = try folder.readAll(name, byteCountMaximum: KeybagRecord.byteCount + 1)
            } catch {
                let isGone = error.code == HostError.noSuchEntry
                if isGone { isMissing += 1 }
                if !error.tellsOfNoFile { refusal = error }
                faults.append(isGone ? "\(name) is missing" : "\(name) cannot be read (\(error))")
                continue
            }
            do throws(FormatError) {
                whole.append((name, try KeybagRecord(bytes: bytes)))
            } catch .newerVersion(let version) {
                newerVersion = version
                faults.append("\(name) claims a newer format")
            } catch {
                faults.append("\(name) is damaged")
            }
        }
        guard let newest = whole.map(\.record.generation).max(),
            let chosen = whole.first(where: { $0.record.generation == newest })
        else {
            // What the host does not let us read may be whole.
            if let refusal { throw ProtectionError(refusal) }
            if let newerVersion { throw .newerFormat(newerVersion) }
            guard isMissing == ReservedName.keybags.count else { throw .keybagLost(faults) }
            throw try hasCiphertext() ? .keybagMissing : .notAVolume
        }
        guard whole.allSatisfy({ $0.record.volumeIdentifier == chosen.record.volumeIdentifier })
        else { throw .damaged("the two copies of the keybag belong to two volumes") }
        if let older = whole.first(where: { $0.record != chosen.record }) {
            faults.append("\(older.name) is older")
        }
        return Found(
            record: chosen.record, fault: faults.first, mayRepair: newerVersion == nil)
    }

    /// Writes both copies, the second first, so that one of them is always whole.
    package func write(_ record: KeybagRecord) throws(ProtectionError) {
        let bytes = record.bytes
        for name in ReservedName.keybags.reversed() {
            try onHost { () throws(HostError) in try folder.writeDurably(bytes, as: name) }
        }
    }

    /// Overwrites and removes both copies; after this nothing in the volume can be read, ever.
    package func destroy() throws(ProtectionError) {
        do throws(HostError) {
            for name in ReservedName.keybags {
                do {
                    try folder.destroyFile(name)
                } catch  where error.code == HostError.noSuchEntry {}
            }
            try folder.destroyLeftRecords()
            try folder.sync()
        } catch {
            throw ProtectionError(error)
        }
    }

    /// Whether the folder holds anything that a lost keybag would have opened.
    package func hasCiphertext() throws(ProtectionError) -> Bool {
        try onHost { () throws(HostError) in
            try folder.list().contains { entry in
                // Any file will not do: a sealed name is 16 bytes longer than the name.
                let sealed = EntryName.sealedName(hostName: entry.name) { _ in nil }
                return entry.name == ReservedName.folder
                    || entry.name.hasPrefix(ReservedName.longEntry) || (sealed?.count ?? 0) > 16
            }
        }
    }
}
