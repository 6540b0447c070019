internal import Cryptography
internal import Synchronization

extension Inode {
    /// The attributes as they are now, also after the last name is gone.
    func attributes() throws(ProtectionError) -> ItemAttributes {
        try core.requireOpen()
        let metadata = try core.keyring.metadata()
        return try state.withSharedLock { state throws(ProtectionError) in
            let host = try onHost { () throws(HostError) in try state.file.attributes() }
            return state.attributes(host, core, metadata)
        }
    }

    /// The attributes together with all that the host says of the file; `nil` when something about
    /// it is not well.
    func seen(changes: Int) -> SeenFile? {
        guard let metadata = try? core.keyring.metadata() else { return nil }
        return state.withSharedLock { state in
            // A host file of another length than it was left with is damaged, or still to be cut.
            let pages = PageLayout.lastPage(forSize: state.size) + 1
            guard let host = try? state.file.attributes(),
                host.byteCount == PageLayout.hostOffset(ofPage: pages)
            else { return nil }
            return SeenFile(host, state.attributes(host, core, metadata), changes: changes)
        }
    }

    /// Changes attributes; the content is not touched.
    func setAttributes(
        _ change: HostAttributeChange, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        try state.withLock { state throws(ProtectionError) in
            try core.requireOpen()
            try core.session.beginWriting(core.keyring)
            try state.setAttributes(change, core, metadata)
        }
    }
}

extension Inode.State {
    /// What is known of the file, and of its host file.
    borrowing func attributes(
        _ host: HostAttributes, _ core: VolumeCore, _ metadata: MetadataKeys
    ) -> ItemAttributes {
        ItemAttributes(host, size: size, header: header, core, metadata)
    }

    /// Sets the bits anew that a write takes away, as far as the mode that was asked for has them.
    /// See: 'man 2 write', S_ISUID.
    borrowing func restoreMode(_ mode: UInt32) throws(ProtectionError) {
        guard mode & 0o6000 != 0 else { return }
        let host = file
        var change = HostAttributeChange()
        change.mode = mode & 0o7777 | 0o600
        try onHost { () throws(HostError) in try host.setAttributes(change) }
    }

    /// Changes attributes; a mode that the host's file cannot have goes into the header, for which
    /// no file key is needed.
    mutating func setAttributes(
        _ wanted: HostAttributeChange, _ core: VolumeCore, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        var change = wanted
        let isAuthentic = try translating { () throws(CryptographyError) in
            try header.verifiesMode(key: metadata.modeKey)
        }
        // A mode that somebody else wrote is not taken over; only another one replaces it.
        guard isAuthentic || change.mode != nil else { throw .damagedMode }
        if change.mode == nil, let kept = header.keptMode,
            change.owner != nil || change.group != nil
        {
            change.mode = KeptMode.afterNewOwner(kept)
        }
        let kept = change.mode.map { KeptMode.ofFile($0) } ?? header.keptMode
        change.mode = change.mode.map { $0 | 0o600 }
        let host = file
        guard kept != header.keptMode || !isAuthentic else {
            return try onHost { () throws(HostError) in try host.setAttributes(change) }
        }
        var changed = header
        changed.keptMode = kept
        do { try changed.signMode(key: metadata.modeKey) } catch { throw ProtectionError(error) }
        // Whatever is strict comes first: a crash in between leaves the stricter mode.
        let before = header
        if kept != nil { try replaceHeader(changed) }
        do throws(HostError) {
            try host.setAttributes(change)
        } catch {
            if kept != nil { try? replaceHeader(before) }
            throw ProtectionError(error)
        }
        if kept == nil { try replaceHeader(changed) }
    }
}
