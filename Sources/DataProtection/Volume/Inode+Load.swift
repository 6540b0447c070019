internal import Cryptography
internal import Synchronization

extension VolumeCore {
    /// Draws a key for a new file and wraps it for the class that the header names.
    ///
    /// - Throws: `sealed` when a file of that class cannot be made now.
    func makeFileKey(for header: inout FileHeader) throws(ProtectionError) -> SecretKey {
        let key = try translating { () throws(CryptographyError) in try SecretKey.random() }
        let metadata = try keyring.metadata()
        do {
            try header.signFlags(fileKey: key)
            try header.signMode(key: metadata.modeKey)
        } catch {
            throw ProtectionError(error)
        }
        try keyring.wrap(key, into: &header)
        return key
    }

    /// A new header of a class, still without its key.
    func newHeader(_ protectionClass: ProtectionClass) -> FileHeader {
        FileHeader(
            protectionClass: protectionClass, cipher: keyring.algorithm.rawValue,
            volumeIdentifier: keyring.volumeIdentifier,
            fileIdentifier: SecureRandom.bytes(identifierByteCount))
    }

    /// Reads an open host file into an inode object, and puts it in order after an unclean stop.
    ///
    /// - Parameters:
    ///   - identity: which host file it is.
    ///   - folderClass: the class of a file whose header was never written.
    /// - Throws: `sealed`, `damaged`, `host`.
    func load(
        _ file: any BackingFile, identity: HostIdentity, folderClass: ProtectionClass
    ) throws(ProtectionError) -> Inode {
        var inspection = try FileInspection(file, session: session)
        guard let header = inspection.header else {
            return try makeUp(file, identity: identity, folderClass: folderClass)
        }
        try requireOpening(header.protectionClass)
        let key = try keyring.unwrap(header)
        let metadata = try keyring.metadata()
        let isAuthentic: Bool
        let hasAuthenticMode: Bool
        do throws(CryptographyError) {
            isAuthentic = try header.verifiesFlags(fileKey: key)
            hasAuthenticMode = try header.verifiesMode(key: metadata.modeKey)
        } catch {
            throw ProtectionError(error)
        }
        guard isAuthentic else { throw .damaged("the header is not the one that was written") }
        guard hasAuthenticMode else { throw .damagedMode }
        try inspection.measure(file, session: session)
        var state = Inode.State(file: file, header: header, key: key, size: inspection.size)
        try state.verifyEnd(inspection, self)
        return Inode(
            identity: identity, core: self, state: state, repair: inspection.repair)
    }

    /// Writes the header that a crash kept from a new file.
    private func makeUp(
        _ file: any BackingFile, identity: HostIdentity, folderClass: ProtectionClass
    ) throws(ProtectionError) -> Inode {
        var header = newHeader(ClassHint.classWithoutHeader(file, folderClass: folderClass))
        try requireOpening(header.protectionClass)
        let key = try makeFileKey(for: &header)
        try session.beginWriting(keyring)
        let state = Inode.State(file: file, header: header, key: key, size: 0)
        try state.writeEmptyPage(self)
        return Inode(
            identity: identity, core: self, state: state,
            repair: "its header was never written: it is empty")
    }
}

extension Inode.State {
    /// Authenticates the last page, which says where the file ends; repairs an end that a crash
    /// left.
    fileprivate mutating func verifyEnd(
        _ inspection: FileInspection, _ core: VolumeCore
    ) throws(ProtectionError) {
        try core.workspaces.use(
            algorithm, for: header.fileIdentifier
        ) { workspace throws(ProtectionError) in
            try prepare(&workspace)
            var payload = workspace.takePayload()
            defer { workspace.give(payload: &payload) }
            if inspection.lacksEnd {
                // The page was written as one before the last; it becomes the last.
                let page = lastPage
                size += 1
                defer { size -= 1 }
                try readPayload(ofPage: page, &workspace, into: &payload)
            } else {
                try readPayload(ofPage: lastPage, &workspace, into: &payload)
            }
        }
        guard inspection.lacksEnd || inspection.hasLeftovers else { return }
        try core.session.beginWriting(core.keyring)
        try core.workspaces.use(
            algorithm, for: header.fileIdentifier
        ) { workspace throws(ProtectionError) in
            try prepare(&workspace)
            try putInOrder(inspection, &workspace)
        }
    }

    private mutating func putInOrder(
        _ inspection: FileInspection, _ workspace: inout Workspace
    ) throws(ProtectionError) {
        if inspection.lacksEnd {
            let page = lastPage
            let wanted = size
            size += 1  // as it stands on disk, the page is not the last
            defer { size = wanted }
            let nothing: [UInt8] = []
            let change = PageChange(
                bytes: nothing.span, offset: wanted, oldSize: wanted, newSize: wanted)
            try writeRun(page...page, change, &workspace)
        }
        do throws(HostError) {
            try file.sync(everything: false)
            if inspection.hasLeftovers {
                try file.truncate(
                    to: PageLayout.hostOffset(
                        ofPage: PageLayout.lastPage(forSize: inspection.size) + 1))
            }
        } catch {
            throw ProtectionError(error)
        }
    }
}
