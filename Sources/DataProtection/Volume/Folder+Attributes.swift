internal import Synchronization

extension Folder {
    /// Changes the folder's own attributes.
    func setAttributes(
        _ wanted: HostAttributeChange, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        var change = wanted
        let before = keptMode
        let kept = change.mode.map { KeptMode.ofFolder($0) } ?? before
        change.mode = change.mode.map { $0 | 0o700 }
        // Whatever is strict comes first: a crash in between leaves the stricter mode.
        if kept != before, kept != nil { try rewrite(core, metadata) { $0.keptMode = kept } }
        do throws(HostError) {
            try backing.setAttributes(change, of: nil)
        } catch {
            if kept != before, kept != nil {
                try? rewrite(core, metadata) { $0.keptMode = before }
            }
            throw ProtectionError(error)
        }
        if kept != before, kept == nil { try rewrite(core, metadata) { $0.keptMode = nil } }
        if let owner = change.owner { state.withLock { $0.owner = owner } }
    }

    /// What a caller wants to do with the folder itself.
    enum Use: UInt32 {
        /// List it.
        case list = 4
        /// Make, rename or remove entries.
        case change = 3
        /// Move it into another folder, or set an attribute.
        case write = 2
        /// Reach what is in it.
        case search = 1
    }

    /// Refuses what the kept mode forbids to the folder's owner; the host refuses all else.
    func require(_ use: Use) throws(ProtectionError) {
        let (keptMode, owner) = state.withLock { ($0.keptMode, $0.owner) }
        guard KeptMode.allows(use.rawValue, keptMode, owner: owner) else { throw .modeForbids }
    }

    /// Refuses the same for an entry that is to be removed or renamed. That it is missing is said
    /// first, as the host does.
    ///
    /// - Returns: what the host says of the entry.
    func requireChange(of entry: EntryName) throws(ProtectionError) -> HostAttributes {
        try require(.search)
        let host = try onHost { () throws(HostError) in
            try backing.attributes(of: entry.hostName)
        }
        try require(.change)
        return host
    }

    /// What the host says of an entry; `nil` when there is none. A host that does not tell is not
    /// taken for one that has nothing.
    func hostAttributes(of entry: EntryName) throws(ProtectionError) -> HostAttributes? {
        do throws(HostError) {
            return try backing.attributes(of: entry.hostName)
        } catch {
            if error.code == HostError.noSuchEntry { return nil }
            throw ProtectionError(error)
        }
    }
}
