internal import Cryptography
internal import Synchronization

/// One verification of a volume: what it has counted so far, and whom it tells.
struct Verification {
    let volume: ProtectedVolume
    let isRepair: Bool
    let progress: (VerifiedItem) -> Void
    let reading: (Int64) -> Void
    var report = VerificationReport()
    /// What was found of files with several names.
    var linked: [HostIdentity: Verdict] = [:]
    private var visitedCount = 0
    private var withoutRecordCount = 0

    /// A folder that is still to be looked at.
    private struct Pending {
        var names: [[UInt8]]
        /// What is wrong with its name; `nil` for nothing.
        var nameFault: Verdict?
    }

    init(
        volume: ProtectedVolume, isRepair: Bool, progress: @escaping (VerifiedItem) -> Void,
        reading: @escaping (Int64) -> Void
    ) {
        self.volume = volume
        self.isRepair = isRepair
        self.progress = progress
        self.reading = reading
    }

    /// Goes over the whole volume.
    mutating func run() throws(ProtectionError) {
        try verifyKeybag()
        try verifyMarker()
        do {
            _ = try volume.core.keyring.metadata()
        } catch {
            report.hasSealedNames = true
            tell("/", Verdict(.sealed, error.remedy))
        }
        var folders = report.hasSealedNames ? [] : [Pending(names: [])]
        while let next = folders.popLast() {
            folders += try verifyFolder(next).reversed()
        }
        report.lacksAllLinks = visitedCount > 0 && withoutRecordCount == visitedCount
        if isRepair, report.isWhole {
            try volume.core.session.beginWriting(volume.core.keyring)
            volume.core.session.wasVerified()
        }
        report.endsClean = volume.core.session.endsClean
    }

    /// Counts and tells what was found.
    mutating func tell(_ path: String, _ verdict: Verdict) {
        report.count(verdict.finding)
        progress(
            VerifiedItem(path: path, finding: verdict.finding, remedy: verdict.remedy))
    }

    /// Looks at a folder: its record, then what is in it.
    ///
    /// - Returns: the folders in it.
    private mutating func verifyFolder(_ pending: Pending) throws(ProtectionError) -> [Pending] {
        let walked: WalkedFolder
        do throws(ProtectionError) {
            walked = try volume.walked(pending.names)
        } catch {
            guard let verdict = try Verdict(error) else { return [] }
            let path = pending.names.map { String(decoding: $0, as: UTF8.self) }
            tell(path.isEmpty ? "/" : path.joined(separator: "/"), verdict)
            return []
        }
        visitedCount += 1
        if let loss = walked.folder.loss, loss != .damaged { withoutRecordCount += 1 }
        let own = try verify(walked) ?? pending.nameFault ?? .whole
        if !pending.names.isEmpty {
            if own.finding == .whole { report.folderCount += 1 }
            tell(walked.path, own)
        } else if own.finding != .whole {
            tell("/", own)
        }
        try verifyHostNames(of: walked)
        var below: [Pending] = []
        for entry in walked.entries {
            let nameFault = entry.hasDamagedName ? nameVerdict(entry, in: walked) : nil
            if case .foreign = nameFault?.finding {
                tell(walked.path(of: entry.place.entry.hostName), nameFault!)
            } else if entry.kind == .folder {
                below.append(
                    Pending(names: walked.names + [entry.place.name], nameFault: nameFault))
            } else if let found = try verdict(of: entry) {
                tell(entry.path, found.isFault ? found : nameFault ?? found)
            }
        }
        return below
    }

    /// Verifies a folder's record and attributes.
    ///
    /// - Returns: `nil` when nothing is wrong with them.
    private func verify(_ walked: WalkedFolder) throws(ProtectionError) -> Verdict? {
        if let loss = walked.folder.loss { return try Verdict(.lostNames(loss)) }
        do throws(ProtectionError) {
            try attributes(walked.folder.backing.userAttributes).verify()
            return nil
        } catch {
            return try Verdict(error)
        }
    }

    /// The user attributes of a host file or folder.
    func attributes(
        _ host: any BackingAttributes
    ) throws(ProtectionError) -> SealedAttributes {
        SealedAttributes(
            host: host, core: volume.core, metadata: try volume.core.keyring.metadata())
    }
}

/// What was found of one thing, and what can be done.
struct Verdict {
    let finding: VerifiedItem.Finding
    let remedy: String

    static let whole = Verdict(.whole)

    init(_ finding: VerifiedItem.Finding, _ remedy: String = "") {
        self.finding = finding
        self.remedy = remedy
    }

    /// What an error means for the thing that was looked at.
    ///
    /// - Returns: `nil` when it went away meanwhile.
    /// - Throws: the error, when it ends the verification.
    init?(_ error: ProtectionError) throws(ProtectionError) {
        switch error.code {
        case .damaged: self.init(.damaged(error.message), error.remedy)
        case .sealed: self.init(.sealed, error.remedy)
        case .missing, .notFolder: return nil
        case .closed, .keyMemory: throw error
        default: self.init(.unreadable(error.message), error.remedy)
        }
    }

    /// Whether something is wrong with the thing itself.
    var isFault: Bool {
        switch finding {
        case .damaged, .unreadable: true
        default: false
        }
    }
}
