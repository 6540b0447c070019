internal import Cryptography

/// Names in a folder, and the host's names for them.
extension Folder {
    private func nameContext(_ core: VolumeCore) -> [UInt8] {
        FormatLabel.bytes("name") + core.keyring.volumeIdentifier + identifier
    }

    /// The host name of an entry.
    ///
    /// - Throws: `invalidName`.
    func hostName(
        of name: [UInt8], core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryName {
        if let fault = EntryName.fault(of: name) {
            throw .invalidName(fault, isTooLong: name.count > EntryName.byteCountMaximum)
        }
        try requireNames()
        return try core.names.entry(of: name, in: identifier) { () throws(ProtectionError) in
            let context = nameContext(core)
            return try translating { () throws(CryptographyError) in
                EntryName(
                    sealed: try metadata.names.seal(name.span, authenticating: context.span))
            }
        }
    }

    /// The host entry behind a name; also that of an entry whose name is damaged.
    func entry(
        of name: [UInt8], core: VolumeCore, metadata: MetadataKeys
    ) throws(ProtectionError) -> EntryName {
        // A whole entry may be called so, and is not to be reached by its host name.
        if let hostName = DamagedEntry.hostName(name),
            (try? backing.attributes(of: hostName)) != nil,
            self.name(of: hostName, core: core, metadata: metadata) == nil
        {
            return EntryName(damagedHostName: hostName)
        }
        return try hostName(of: name, core: core, metadata: metadata)
    }

    /// The name behind a host name; `nil` when the host name is damaged, or another folder's.
    func name(of hostName: String, core: VolumeCore, metadata: MetadataKeys) -> [UInt8]? {
        // What holds a long name may be missing the next time.
        if hostName.hasPrefix(ReservedName.longEntry) {
            return openName(of: hostName, core, metadata)
        }
        return core.names.name(of: hostName, in: identifier) {
            openName(of: hostName, core, metadata)
        }
    }

    private func openName(
        of hostName: String, _ core: VolumeCore, _ metadata: MetadataKeys
    ) -> [UInt8]? {
        let sealed = EntryName.sealedName(hostName: hostName) { try? backing.readSymlink($0) }
        let context = nameContext(core)
        guard let sealed, sealed.count > 16,
            let name = try? metadata.names.open(sealed.span, authenticating: context.span),
            EntryName.fault(of: name) == nil
        else { return nil }
        return name
    }

    /// Makes a host entry, with the link that holds a long name before it.
    ///
    /// A link that was there may belong to an entry that is there, so only one that was made goes
    /// again when the entry cannot be made.
    func making<Result>(
        _ entry: EntryName, _ body: () throws(HostError) -> Result
    ) throws(HostError) -> Result {
        let isMade = try makeLongName(of: entry)
        do {
            return try body()
        } catch {
            if isMade { removeLongName(of: entry) }
            throw error
        }
    }

    /// Makes the link that holds a long name, if the name is long.
    ///
    /// - Returns: whether it was made; an equal one may be there.
    private func makeLongName(of entry: EntryName) throws(HostError) -> Bool {
        guard let link = entry.link else { return false }
        do {
            try backing.makeSymlink(link.hostName, target: link.target)
            return true
        } catch  where error.code == HostError.entryExists {
            return false
        }
    }

    /// Whether the link that holds a long name is there.
    func hasLongName(of entry: EntryName) -> Bool {
        guard let link = entry.link else { return false }
        return (try? backing.attributes(of: link.hostName)) != nil
    }

    /// Removes the link that holds a long name; a leftover harms nobody.
    func removeLongName(of entry: EntryName) {
        guard let link = entry.link else { return }
        try? backing.removeFile(link.hostName)
    }
}

extension ReservedName {
    /// A name that nothing else has.
    package static func random(_ prefix: String) -> String {
        prefix + Base64URL.encode(SecureRandom.bytes(12))
    }
}
