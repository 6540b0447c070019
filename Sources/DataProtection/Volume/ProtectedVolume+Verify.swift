internal import Cryptography
internal import Synchronization

/// What `ProtectedVolume.verify` found of one thing.
public struct VerifiedItem: Sendable, Hashable {
    /// Where it is in the volume; for a leftover, the folder and its name on the host.
    public let path: String
    /// What was found.
    public let finding: Finding

    /// What can be found.
    public enum Finding: Sendable, Hashable {
        /// All of it verifies.
        case whole
        /// It cannot be verified now: its key is not there.
        case sealed
        /// It does not verify; the text says what.
        case damaged(String)
        /// Something half made or half removed that a crash left.
        case leftover
    }
}

/// What `ProtectedVolume.verify` found altogether.
public struct VerificationReport: Sendable, Hashable {
    /// Files and folders that verify.
    public internal(set) var wholeCount = 0
    /// Files that cannot be verified without a key that is not there.
    public internal(set) var sealedCount = 0
    /// Files, folders and names that do not verify.
    public internal(set) var damagedCount = 0
    /// What crashes left; removed, if that was asked for.
    public internal(set) var leftoverCount = 0

    /// Whether everything was verified, and found whole.
    public var isWhole: Bool { sealedCount == 0 && damagedCount == 0 }
}

extension ProtectedVolume {
    /// Verifies every page of every file, every name, link and user attribute, whatever the kept
    /// modes forbid.
    ///
    /// Files that a crash left without their end are put in order as they are opened, with or
    /// without `repair`. With it, once everything was found whole, with every class open, the
    /// volume counts as cleanly closed again: from the next opening on a missing end is damage.
    ///
    /// - Parameters:
    ///   - repair: whether what crashes left is removed.
    ///   - progress: told of each thing as it was looked at.
    /// - Returns: the counts.
    /// - Throws: `sealed` when names are private and nobody has unlocked; `host`, `closed`.
    public func verify(
        repair: Bool = false, progress: (VerifiedItem) -> Void = { _ in }
    ) throws(ProtectionError) -> VerificationReport {
        var report = VerificationReport()
        var folders = [""]
        while let folder = folders.popLast() {
            for leftover in try leftovers(in: folder, remove: repair) {
                report.leftoverCount += 1
                progress(VerifiedItem(path: joined(folder, leftover), finding: .leftover))
            }
            for entry in try list(folder, ignoringModes: true) {
                let path = joined(folder, entry.name)
                let finding = try verify(entry, at: path)
                report.count(finding)
                progress(VerifiedItem(path: path, finding: finding))
                if entry.kind == .folder { folders.append(path) }
            }
        }
        if repair, report.isWhole {
            try core.session.beginWriting(core.keyring)
            core.session.wasVerified()
        }
        return report
    }

    private func verify(
        _ entry: FolderEntry, at path: String
    ) throws(ProtectionError) -> VerifiedItem.Finding {
        do throws(ProtectionError) {
            let damage = try withItem(path, followingLinks: false, ignoringModes: true) {
                item, metadata throws(ProtectionError) in
                let damage = try attributes(of: item, metadata).damage
                if damage == nil { try verifyValues(of: item, metadata) }
                return damage
            }
            if let damage { return .damaged(damage) }
            if entry.kind == .file { try verifyPages(of: path) }
        } catch {
            switch error.code {
            case .sealed: return .sealed
            case .damaged, .missing, .invalidName: return .damaged(error.message)
            default: throw error
            }
        }
        return entry.hasDamagedName ? .damaged("its name is damaged") : .whole
    }

    /// Opens what is sealed beside the pages: a link's target, user attributes.
    private func verifyValues(
        of item: Item, _ metadata: MetadataKeys
    ) throws(ProtectionError) {
        if case .other(let place, let host) = item {
            guard host.kind == .symlink else { return }
            _ = try place.folder.linkTarget(place.entry, core, metadata)
        } else {
            let attributes = try userAttributes(of: item, metadata)
            for name in try attributes.names() { _ = try attributes.value(of: name) }
        }
    }

    private func verifyPages(of path: String) throws(ProtectionError) {
        let parsed = try VolumePath(path)
        let inode = try withNames(ignoringModes: true) {
            names, metadata throws(ProtectionError) in
            try open(parsed, .read, NewFile(mode: 0), &names, metadata)
        }
        let file = ProtectedFile(inode: inode, options: .read)
        defer { file.close() }
        var buffer = [UInt8](repeating: 0, count: Workspace.pageCount * PageLayout.pageByteCount)
        defer { Wipe.zero(&buffer) }
        var offset: Int64 = 0
        // Of holes there is nothing to verify, and a file may be one hole of many terabytes.
        while let data = try file.nextData(from: offset) {
            offset = data
            var span = buffer.mutableSpan
            let count = try file.read(into: &span, at: offset)
            guard count > 0 else { return }
            offset += Int64(count)
        }
    }

    /// What a crash left in a folder; nothing that is being made is among it.
    private func leftovers(
        in path: String, remove: Bool
    ) throws(ProtectionError) -> [String] {
        let parsed = try VolumePath(path)
        return try withNames(ignoringModes: true) { names, metadata throws(ProtectionError) in
            let folder = try names.folder(at: parsed.names, core, metadata)
            let entries = try onHost { () throws(HostError) in try folder.backing.list() }
            let present = Set(entries.map(\.name))
            let found = entries.filter { isLeftover($0, among: present, in: folder) }
            guard remove, !found.isEmpty else { return found.map(\.name) }
            try core.session.beginWriting(core.keyring)
            for entry in found {
                if entry.kind == .folder {
                    sweep(entry.name, in: folder.backing)
                } else {
                    try? folder.backing.removeFile(entry.name)
                }
            }
            return found.map(\.name)
        }
    }

    private func isLeftover(
        _ entry: HostEntry, among present: Set<String>, in folder: Folder
    ) -> Bool {
        if entry.name.hasPrefix(ReservedName.longName) {
            let owner =
                ReservedName.longEntry + entry.name.dropFirst(ReservedName.longName.count)
            return !present.contains(owner)
        }
        guard entry.name.hasPrefix(ReservedName.new) || entry.name.hasPrefix(ReservedName.gone),
            !entry.name.hasPrefix(ReservedName.newRecord)  // it is being written at this moment
        else { return false }
        // A file that is being written at this moment is open.
        let identity = try? folder.backing.attributes(of: entry.name).identity
        return identity.map { core.inodes.find($0) == nil } ?? false
    }

    private func joined(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : "\(folder)/\(name)"
    }
}

extension VerificationReport {
    fileprivate mutating func count(_ finding: VerifiedItem.Finding) {
        switch finding {
        case .whole: wholeCount += 1
        case .sealed: sealedCount += 1
        case .damaged: damagedCount += 1
        case .leftover: leftoverCount += 1
        }
    }
}
