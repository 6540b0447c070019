internal import Cryptography
internal import Synchronization

extension Inode {
    /// Cuts the file, or extends it with zeros.
    ///
    /// - Parameter size: the new size, in bytes. Zero gives the file a new key.
    func truncate(to size: Int64) throws(ProtectionError) {
        guard (0...FileLimits.byteCountMaximum).contains(size) else {
            throw .invalidArgument("the size is out of range")
        }
        try state.withLock { state throws(ProtectionError) in
            try core.requireHandle(of: state.header.protectionClass)
            try core.session.beginWriting(core.keyring)
            guard size != state.size else { return try state.touch() }
            guard size > 0 else { return try state.empty(core) }
            try state.requireKey(core)
            try core.workspaces.use(
                state.algorithm, for: state.header.fileIdentifier
            ) { workspace throws(ProtectionError) in
                try state.prepare(&workspace)
                if size > state.size {
                    try state.extend(to: size, core, &workspace)
                } else {
                    try state.shrink(to: size, core, &workspace)
                }
            }
        }
    }

    /// Empties the file when it is opened with truncation.
    func emptyAtOpen() throws(ProtectionError) {
        try state.withLock { state throws(ProtectionError) in
            try core.session.beginWriting(core.keyring)
            if state.size > 0 { try state.empty(core) } else { try state.touch() }
        }
    }
}

extension Inode.State {
    /// A gap of at least so many pages becomes a hole; a smaller one is written as zeros.
    private static let holePageCount: Int64 = 16

    /// Cuts the file to nothing, with a new file key. Refused before anything is cut if none can
    /// be made.
    mutating func empty(_ core: VolumeCore) throws(ProtectionError) {
        guard !isRetired else { throw .closed }
        var fresh = FileHeader(
            protectionClass: header.protectionClass, cipher: header.cipher,
            volumeIdentifier: header.volumeIdentifier,
            fileIdentifier: SecureRandom.bytes(identifierByteCount))
        fresh.keptMode = header.keptMode
        let freshKey = try core.makeFileKey(for: &fresh)
        ClassHint.set(fresh.protectionClass, on: file)
        memory?.forgetAll()
        do { try file.truncate(to: 0) } catch { throw ProtectionError(error) }
        header = fresh
        headerBytes = fresh.bytes
        key = consume freshKey
        size = 0
        do {
            try writeEmptyPage(core)
        } catch {
            // Without its header the file is an empty one only in a volume that is not clean.
            core.session.stayUnclean()
            throw error
        }
    }

    /// Writes page 0 of an empty file.
    func writeEmptyPage(_ core: VolumeCore) throws(ProtectionError) {
        try core.workspaces.use(
            algorithm, for: header.fileIdentifier
        ) { workspace throws(ProtectionError) in
            try prepare(&workspace)
            let nothing: [UInt8] = []
            let change = PageChange(bytes: nothing.span, offset: 0, oldSize: 0, newSize: 0)
            try writeRun(0...0, change, &workspace)
        }
    }

    /// Makes the file longer, with zeros or a hole.
    mutating func extend(
        to newSize: Int64, _ core: VolumeCore, _ workspace: inout Workspace
    ) throws(ProtectionError) {
        let oldLast = lastPage
        let newLast = PageLayout.lastPage(forSize: newSize)
        let nothing: [UInt8] = []
        let change = PageChange(
            bytes: nothing.span, offset: newSize, oldSize: size, newSize: newSize)
        if newLast == oldLast {
            try writeRun(oldLast...oldLast, change, &workspace)
            size = newSize
            return
        }
        let leavesHole = newLast - oldLast - 1 >= Self.holePageCount
        if leavesHole, !header.isSparse { try becomeSparse(&workspace) }
        do throws(ProtectionError) {
            let first = leavesHole ? newLast : oldLast + 1
            try writeRun(first...newLast, change, &workspace)
            try writeRun(oldLast...oldLast, change, &workspace)
        } catch {
            cutBehind(oldLast, core)
            throw error
        }
        size = newSize
    }

    /// Sets the flag without which a hole is damage, durably.
    mutating func becomeSparse(_ workspace: inout Workspace) throws(ProtectionError) {
        var flagged = header
        flagged.isSparse = true
        switch key {
        case .some(let key):
            do { try flagged.signFlags(fileKey: key) } catch { throw ProtectionError(error) }
        case .none: preconditionFailure("requireKey comes first")
        }
        try replaceHeader(flagged)
    }

    /// Rewrites page 0 with another header and the same sealed payload, durably. The content does
    /// not change, and so neither do the time of its last change and
    /// the set-user-ID and set-group-ID bits.
    mutating func replaceHeader(_ changed: FileHeader) throws(ProtectionError) {
        // Another object may have written another header since the last handle went.
        guard !isRetired else { throw .closed }
        let host = try hostAttributes()
        var page = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        let bytes = changed.bytes
        do throws(HostError) {
            var span = page.mutableSpan
            let count = try file.read(into: &span, at: 0)
            guard count == PageLayout.pageByteCount else {
                throw HostError(code: HostError.inputOutput, call: "pread")
            }
            ByteCopy.copy(bytes.span, into: &span, at: 0)
        } catch {
            throw ProtectionError(error)
        }
        var looks = HostAttributeChange()
        looks.modificationTime = .time(host.modificationTime)
        // A write takes these bits away, but this is none of the content's. See: 'man 2 write'.
        if host.mode & 0o6000 != 0 { looks.mode = host.mode }
        do throws(HostError) {
            try file.write(page.span, at: 0)
            try file.sync(everything: false)
            // Whoever is not the owner must not fail for that.
            try? file.setAttributes(looks)
        } catch {
            throw ProtectionError(error)
        }
        header = changed
        headerBytes = bytes
    }

    /// Notes that the content was written, though no byte of it is another one. A host that cuts a
    /// file to the size that it has does the same, and all that goes with it.
    borrowing func touch() throws(ProtectionError) {
        let file = file
        try onHost { () throws(HostError) in
            try file.truncate(to: try file.attributes().byteCount)
        }
    }

    /// What the host says of the file.
    borrowing func hostAttributes() throws(ProtectionError) -> HostAttributes {
        let file = file
        return try onHost { () throws(HostError) in try file.attributes() }
    }

    /// Makes the file shorter: the new end durably first, then the cut.
    mutating func shrink(
        to newSize: Int64, _ core: VolumeCore, _ workspace: inout Workspace
    ) throws(ProtectionError) {
        let newLast = PageLayout.lastPage(forSize: newSize)
        var kept = [UInt8](repeating: 0, count: PageLayout.payloadByteCount)
        defer { Wipe.zero(&kept) }
        try readPayload(ofPage: newLast, &workspace, into: &kept)
        let keptCount = Int(newSize - PageLayout.payloadStart(ofPage: newLast))
        let change = PageChange(
            bytes: kept.span.extracting(0..<keptCount),
            offset: PageLayout.payloadStart(ofPage: newLast), oldSize: 0, newSize: newSize)
        try writeRun(newLast...newLast, change, &workspace)
        size = newSize  // the file ends there now, whether or not the rest can be cut
        memory?.forgetAll()
        do throws(HostError) {
            try file.sync(everything: false)
            try file.truncate(to: PageLayout.hostOffset(ofPage: newLast + 1))
        } catch {
            core.session.stayUnclean()
            throw ProtectionError(error)
        }
    }
}
