internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Changes the class of a file, or of a folder and everything below it.
    ///
    /// A folder comes before what is in it, so that what is made meanwhile has the new class
    /// already. What cannot be changed is told and passed over. Called again, it does what is left:
    /// an interruption loses nothing. Symbolic links and devices have no class and are passed over;
    /// no link below the path is followed.
    ///
    /// - Parameters:
    ///   - path: a file or folder, empty for the top folder; a symbolic link is followed.
    ///   - change: what to do with each. `.keep` alone changes nothing, and tells every class.
    ///   - progress: told of each file and folder. To break off, close the volume.
    ///   - writing: told of so many bytes, as files are written afresh.
    /// - Returns: the counts.
    /// - Throws: `missing` when the path is, `sealed` when names are private, `closed`.
    public func changeClasses(
        in path: String, _ change: ClassChange, progress: (ClassChangeItem) -> Void = { _ in },
        writing: (Int64) -> Void = { _ in }
    ) throws(ProtectionError) -> ClassChangeReport {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            let (top, isFile) = try withNames { names, metadata throws(ProtectionError) in
                let top = try names.resolve(parsed, followsLast: true, core, metadata)
                guard let found = try names.entry(at: top, core, metadata) else {
                    return (top, false)
                }
                let host = try onHost { () throws(HostError) in
                    try found.folder.backing.attributes(of: found.entry.hostName)
                }
                guard [.regular, .folder].contains(host.kind) else { throw .classlessThing }
                return (top, host.kind == .regular)
            }
            var changing = ClassChanging(volume: self, change: change)
            if isFile {
                try changing.file(at: top, progress, writing)
            } else {
                try changing.folder(at: top, progress, writing)
            }
            return changing.report
        }
    }
}

/// One change of many classes.
private struct ClassChanging {
    let volume: ProtectedVolume
    let change: ClassChange
    var report = ClassChangeReport()
    /// Files with several names, which are changed once.
    private var linked: Set<HostIdentity> = []

    init(volume: ProtectedVolume, change: ClassChange) {
        self.volume = volume
        self.change = change
    }

    /// Changes one file.
    mutating func file(
        at path: VolumePath, _ progress: (ClassChangeItem) -> Void, _ writing: (Int64) -> Void
    ) throws(ProtectionError) {
        let names = Array(path.names.dropLast())
        let walked = try volume.walked(names)
        for entry in walked.entries where entry.place.name == path.last {
            try self.entry(entry, progress, writing)
        }
    }

    /// Changes a folder and everything below it.
    mutating func folder(
        at path: VolumePath, _ progress: (ClassChangeItem) -> Void, _ writing: (Int64) -> Void
    ) throws(ProtectionError) {
        var folders = [path.names]
        while let names = folders.popLast() {
            let shown = names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
            let walked: WalkedFolder
            do throws(ProtectionError) {
                walked = try volume.walked(names)
            } catch {
                guard names != path.names else { throw error }
                try tell(shown, isFolder: true, nil, nil, error, progress)
                continue
            }
            try changeFolder(walked, progress)
            var below: [[[UInt8]]] = []
            for entry in walked.entries {
                if entry.kind == .folder { below.append(names + [entry.place.name]) }
                if entry.kind == .regular { try self.entry(entry, progress, writing) }
            }
            folders += below.reversed()
        }
    }

    /// Changes what a folder gives to new children.
    private mutating func changeFolder(
        _ walked: WalkedFolder, _ progress: (ClassChangeItem) -> Void
    ) throws(ProtectionError) {
        let volume = volume
        let folder = walked.folder
        let before = folder.childClass
        let wanted: ProtectionClass? =
            switch change.target {
            case .keep: before
            case .protectionClass(let target): target
            case .volumeDefault: nil
            }
        var failure: ProtectionError?
        do throws(ProtectionError) {
            try folder.requireNames()
            if wanted != before {
                try volume.withNames { _, metadata throws(ProtectionError) in
                    try volume.core.session.beginWriting(volume.core.keyring)
                    try volume.setChildClass(wanted, of: folder, metadata)
                }
            }
        } catch {
            failure = error
        }
        try tell(
            walked.path.isEmpty ? "/" : walked.path, isFolder: true, before, folder.childClass,
            failure, progress)
    }

    /// Changes one file, once for all its names.
    private mutating func entry(
        _ entry: WalkedEntry, _ progress: (ClassChangeItem) -> Void, _ writing: (Int64) -> Void
    ) throws(ProtectionError) {
        let volume = volume
        let place = entry.place
        var before: ProtectionClass?
        var after: ProtectionClass?
        var failure: ProtectionError?
        do throws(ProtectionError) {
            let (host, known) = try volume.withNames { _, metadata throws(ProtectionError) in
                let host = try onHost { () throws(HostError) in
                    try place.folder.backing.attributes(of: place.entry.hostName)
                }
                return (
                    host,
                    try volume.attributes(ofFile: place.entry, in: place.folder, host, metadata)
                )
            }
            if host.linkCount > 1, !linked.insert(host.identity).inserted { return }
            before = known.protectionClass
            after = before
            if let damage = known.damage { throw .damaged(damage) }
            var wanted = wantedClass(before)
            if change.isReencrypting {
                try volume.reencrypt(place, class: wanted, writing)
            } else if wanted != before, let asked = wanted {
                wanted = try volume.withNames { names, metadata throws(ProtectionError) in
                    let allowed = try volume.classByPolicy(
                        asked, at: place.path.names, &names, metadata)
                    try volume.setClass(allowed, of: place.entry, in: place.folder)
                    return allowed
                }
            }
            after = wanted
        } catch {
            failure = error
        }
        try tell(entry.path, isFolder: false, before, after, failure, progress)
    }

    private func wantedClass(_ before: ProtectionClass?) -> ProtectionClass? {
        switch change.target {
        case .keep: before
        case .protectionClass(let target): target
        case .volumeDefault: volume.core.defaultClass
        }
    }

    /// Counts and tells what became of one; what went away meanwhile is passed over.
    private mutating func tell(
        _ path: String, isFolder: Bool, _ before: ProtectionClass?, _ after: ProtectionClass?,
        _ failure: ProtectionError?, _ progress: (ClassChangeItem) -> Void
    ) throws(ProtectionError) {
        let outcome: ClassChangeItem.Outcome
        if let failure {
            if failure.code == .closed || failure.code == .keyMemory { throw failure }
            if failure.code == .missing || failure.code == .notFolder { return }
            outcome = .failed(failure)
        } else {
            let isRewritten = change.isReencrypting && !isFolder
            outcome = before == after && !isRewritten ? .unchanged : .changed
        }
        let item = ClassChangeItem(
            path: path, isFolder: isFolder, before: before, after: after, outcome: outcome)
        report.count(item)
        progress(item)
    }
}
