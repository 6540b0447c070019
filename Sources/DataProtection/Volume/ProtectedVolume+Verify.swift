internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Verifies everything that the volume holds: both copies of the keybag, the marker, each
    /// folder's record, each name, each page of each file, kept modes, targets of symbolic links
    /// and user attributes. A file with several names is read once.
    ///
    /// Works in every lock state, and says what it could not see. Files that a crash left without
    /// their end are put in order as they are opened, with or without `repair`. With it, what
    /// interrupted calls left is removed, and what can be written anew is: a copy of the keybag,
    /// the marker. Once everything was found whole, with every class open, the volume then counts
    /// as cleanly closed again: from the next opening on a missing end is damage.
    ///
    /// What damage has taken, or the host does not give, is told and passed over. So is a file or
    /// folder that is missing without a trace: nothing lists what a folder held.
    ///
    /// - Parameters:
    ///   - repair: whether to remove and to write anew.
    ///   - progress: told of each thing as it was looked at. To break off, close the volume.
    ///   - reading: told of so many bytes of content, as they are read.
    /// - Returns: the counts.
    /// - Throws: `closed`, `keyMemory`; `host` when the marker cannot be written.
    public func verify(
        repair: Bool = false, progress: @escaping (VerifiedItem) -> Void = { _ in },
        reading: @escaping (Int64) -> Void = { _ in }
    ) throws(ProtectionError) -> VerificationReport {
        var verification = Verification(
            volume: self, isRepair: repair, progress: progress, reading: reading)
        try verification.run()
        return verification.report
    }

    /// How much there is to verify, from a look at the host alone.
    ///
    /// - Returns: how many entries there are, and what their content is in bytes, roughly.
    /// - Throws: `sealed` when names are private and nobody has unlocked, `closed`.
    package func hostExtent() throws(ProtectionError) -> (entryCount: Int, byteCount: Int64) {
        var extent = (entryCount: 0, byteCount: Int64(0))
        var seen: Set<HostIdentity> = []
        var folders: [[[UInt8]]] = [[]]
        while let names = folders.popLast() {
            guard let walked = try? walked(names) else {
                try core.requireOpen()
                _ = try core.keyring.metadata()
                continue
            }
            extent.entryCount += walked.entries.count
            for entry in walked.entries {
                if entry.kind == .folder { folders.append(names + [entry.place.name]) }
                guard entry.kind == .regular,
                    let host = try? walked.folder.backing.attributes(
                        of: entry.place.entry.hostName),
                    host.linkCount == 1 || seen.insert(host.identity).inserted
                else { continue }
                extent.byteCount += host.byteCount
            }
        }
        return extent
    }
}
