internal import Cryptography
internal import Synchronization

// One function for each kind of entry.

extension Verification {
    /// Verifies an entry that is no folder.
    ///
    /// - Returns: `nil` when it went away meanwhile.
    mutating func verdict(of entry: WalkedEntry) throws(ProtectionError) -> Verdict? {
        do throws(ProtectionError) {
            switch entry.kind {
            case .regular: return try verifyFile(entry.place)
            case .symlink: return try verifyLink(entry.place)
            case .folder, .fifo, .socket, .characterDevice, .blockDevice: return .whole
            }
        } catch {
            return try Verdict(error)
        }
    }

    /// Verifies a symbolic link: its target.
    private func verifyLink(_ place: EntryPlace) throws(ProtectionError) -> Verdict {
        _ = try place.folder.linkTarget(
            place.entry, volume.core, try volume.core.keyring.metadata())
        return .whole
    }

    /// Verifies a file, once for all its names.
    private mutating func verifyFile(_ place: EntryPlace) throws(ProtectionError) -> Verdict {
        let host = try onHost { () throws(HostError) in
            try place.folder.backing.attributes(of: place.entry.hostName)
        }
        if let known = linked[host.identity] { return known }
        let verdict: Verdict
        do throws(ProtectionError) {
            verdict = try verifyContent(place, host)
        } catch {
            guard let found = try Verdict(error) else { throw error }
            verdict = found
        }
        if host.linkCount > 1 { linked[host.identity] = verdict }
        return verdict
    }

    /// Verifies a file's header, kept mode, attributes and pages.
    private mutating func verifyContent(
        _ place: EntryPlace, _ host: HostAttributes
    ) throws(ProtectionError) -> Verdict {
        let volume = volume
        let (known, userAttributes) = try volume.withNames {
            _, metadata throws(ProtectionError) in
            (
                try volume.attributes(ofFile: place.entry, in: place.folder, host, metadata),
                try volume.openHost(place.entry, in: place.folder).0.userAttributes
            )
        }
        if let damage = known.damage { throw .damaged(damage) }
        try attributes(userAttributes).verify()
        let inode = try volume.withNames { _, _ throws(ProtectionError) in
            try volume.holdExisting(place.entry, in: place.folder)
        }
        let file = ProtectedFile(inode: inode, options: .read)
        defer { file.close() }
        let byteCount = try readPages(of: file)
        report.fileCount += 1
        report.byteCount += byteCount
        return inode.repair.map { Verdict(.repaired($0)) } ?? .whole
    }

    /// Reads everything but holes; the last page was verified when the file was opened.
    ///
    /// - Returns: how much that was, in bytes.
    private func readPages(of file: ProtectedFile) throws(ProtectionError) -> Int64 {
        var buffer = [UInt8](repeating: 0, count: Workspace.pageCount * PageLayout.pageByteCount)
        defer { Wipe.zero(&buffer) }
        var byteCount: Int64 = 0
        var offset: Int64 = 0
        while let start = try file.nextData(from: offset) {
            let end = try file.nextHole(from: start) ?? start
            offset = start
            while offset < end {
                var span = buffer.mutableSpan
                var part = span._mutatingExtracting(
                    first: Int(
                        min(Int64(Workspace.pageCount * PageLayout.pageByteCount), end - offset)))
                let count = try file.read(into: &part, at: offset)
                guard count > 0 else { return byteCount }  // cut meanwhile
                offset += Int64(count)
                byteCount += Int64(count)
                reading(Int64(count))
            }
        }
        return byteCount
    }
}
