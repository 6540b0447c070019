internal import Cryptography
internal import Synchronization

/// What the host has beside entries: leftovers, names without files, and what is nothing of ours.
extension Verification {
    /// Goes over the host names in a folder that are no entries.
    mutating func verifyHostNames(of walked: WalkedFolder) throws(ProtectionError) {
        let names = Set(walked.hostEntries.map(\.name))
        for host in walked.hostEntries.sorted(by: { $0.name < $1.name }) {
            let path = walked.path(of: host.name)
            switch ReservedName.role(of: host.name, inTopFolder: walked.names.isEmpty) {
            case .entry, .record: continue
            case .temporary: try verifyTemporary(host, in: walked)
            case .longName(let owner):
                if !names.contains(owner) { try verifyNameWithoutEntry(host, in: walked) }
            case .keybagCopy:
                tell(
                    path,
                    Verdict(
                        .foreign("a copy of the keybag: an older passcode may open it"),
                        "remove what is nothing of the volume's, if nothing else needs it"))
            case .unknown:
                let isLink = host.name.hasSuffix(Folder.storedLinkSuffix)
                tell(path, isLink ? try Verdict(.storedLink) ?? .foreign : .foreign)
            }
        }
    }

    /// Something half made or half removed, unless it is being made at this moment.
    private mutating func verifyTemporary(
        _ host: HostEntry, in walked: WalkedFolder
    ) throws(ProtectionError) {
        let folder = walked.folder
        let volume = volume
        let isRepair = isRepair
        let isRemoved: Bool? = try volume.withNames { _, _ throws(ProtectionError) in
            // A file that is being written at this moment is open.
            guard let identity = try? folder.backing.attributes(of: host.name).identity,
                volume.core.inodes.find(identity) == nil
            else { return nil }
            guard isRepair else { return false }
            try volume.core.session.beginWriting(volume.core.keyring)
            return volume.removeLeftover(host, in: folder.backing)
        }
        if let isRemoved { tell(walked.path(of: host.name), .leftover(isRemoved)) }
    }

    /// A long name whose file or folder is not there: a crash leaves that; in a volume that was
    /// closed cleanly it was there.
    private mutating func verifyNameWithoutEntry(
        _ host: HostEntry, in walked: WalkedFolder
    ) throws(ProtectionError) {
        let folder = walked.folder
        let volume = volume
        guard volume.core.session.isUnclean else {
            let name = folder.longName(
                host.name, core: volume.core, metadata: try volume.core.keyring.metadata())
            return tell(
                walked.path(of: name.map { String(decoding: $0, as: UTF8.self) } ?? host.name),
                try Verdict(.nameWithoutFile) ?? .whole)
        }
        var isRemoved = false
        if isRepair {
            isRemoved = try volume.withNames { _, _ throws(ProtectionError) in
                try volume.core.session.beginWriting(volume.core.keyring)
                return volume.removeLeftover(host, in: folder.backing)
            }
        }
        tell(walked.path(of: host.name), .leftover(isRemoved))
    }

    /// What is to be said of an entry whose name cannot be read.
    func nameVerdict(_ entry: WalkedEntry, in walked: WalkedFolder) -> Verdict {
        let hostName = entry.place.entry.hostName
        let folder = walked.folder
        if hostName.hasSuffix(Folder.storedLinkSuffix) {
            return (try? Verdict(.storedLink)) ?? .foreign
        }
        if folder.loss != nil {
            guard isOurs(entry) else { return .foreign }
            return Verdict(.damaged("its name is lost with the folder's record"))
        }
        if let original = folder.original(of: hostName, volume.core) {
            return (try? Verdict(.conflictCopy(of: original))) ?? .foreign
        }
        guard isOurs(entry) else { return .foreign }
        return Verdict(
            .damaged("its name is damaged"),
            "read it under the name shown (get) and put it back under its own, or remove it")
    }

    /// Whether a host entry was made by a volume, whatever became of its name.
    private func isOurs(_ entry: WalkedEntry) -> Bool {
        let hostName = entry.place.entry.hostName
        let sealed = EntryName.sealedName(hostName: hostName) { _ in nil }
        if (sealed?.count ?? 0) > SyntheticIVCipher.overheadByteCount { return true }
        if hostName.hasPrefix(ReservedName.longEntry) { return true }
        switch entry.kind {
        case .folder:
            let folder = try? entry.place.folder.backing.openFolder(hostName)
            return folder.map { Folder.loss(of: $0) != .missing } ?? false
        case .regular:
            let page = try? entry.place.folder.backing.readAll(
                hostName, byteCountMaximum: PageLayout.pageByteCount)
            guard let page, page.count == PageLayout.pageByteCount else { return false }
            return (try? FileHeader(bytes: page)) != nil
        default: return false
        }
    }
}

extension Verdict {
    /// Something of the host that is nothing of the volume's.
    static let foreign = Verdict(
        .foreign("nothing of the volume's"),
        "remove what is nothing of the volume's, if nothing else needs it")

    /// What an interrupted call left.
    static func leftover(_ isRemoved: Bool) -> Verdict { Verdict(.leftover(isRemoved: isRemoved)) }
}

extension ProtectedVolume {
    /// Removes what an interrupted call left.
    ///
    /// - Returns: whether it is gone.
    fileprivate func removeLeftover(_ host: HostEntry, in folder: any BackingFolder) -> Bool {
        guard host.kind == .folder else {
            return (try? folder.removeFile(host.name)) != nil
        }
        // A folder that was being removed may hold such leftovers itself.
        if let inner = try? folder.openFolder(host.name) {
            for entry in (try? inner.list()) ?? []
            where entry.kind == .folder && ReservedName.isTemporary(entry.name) {
                _ = removeLeftover(entry, in: inner)
            }
        }
        sweep(host.name, in: folder)
        return (try? folder.attributes(of: host.name)) == nil
    }
}

extension Folder {
    /// The long name that a link holds; `nil` when it is not authentic.
    fileprivate func longName(
        _ linkName: String, core: VolumeCore, metadata: MetadataKeys
    ) -> [UInt8]? {
        let hash = linkName.dropFirst(ReservedName.longName.count)
        return name(of: ReservedName.longEntry + hash, core: core, metadata: metadata)
    }

    /// The name of the entry of which a host file is a second copy: synchronising programs put
    /// something behind the host name, after a character that no host name has.
    fileprivate func original(of hostName: String, _ core: VolumeCore) -> String? {
        guard let metadata = try? core.keyring.metadata() else { return nil }
        let isLong = hostName.hasPrefix(ReservedName.longEntry)
        let rest = hostName.dropFirst(isLong ? 1 : 0)
        let end = rest.firstIndex { !Base64URL.isCharacter($0) } ?? rest.endIndex
        guard end < rest.endIndex else { return nil }
        return name(of: String(hostName[..<end]), core: core, metadata: metadata)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
