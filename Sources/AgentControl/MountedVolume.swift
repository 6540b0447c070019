public import DataProtection

/// A volume that an agent keeps mounted, as other programs see it: `seal`, and apps whose files lie
/// in the mount.
///
///     let volume = try MountedVolume(containing: "/home/ada/Vault/Letters")
///     for await isAvailable in volume.protectedDataChanges where isAvailable {
///         try await drain()
///     }
///
/// Every call asks the agent anew; any thread may call. What is true when an answer arrives may be
/// another thing a moment later: the result of a file operation is the truth.
public final class MountedVolume: Sendable {
    /// The agent's process number.
    public let process: Int32
    let place: AgentFolder

    /// The mounted volume that a path is in, or whose own folder it is.
    ///
    /// - Parameter path: a file or folder in the mount, the folder it is mounted at, or the folder
    ///   with the ciphertext.
    /// - Throws: `missing` when no agent of this user answers for it; `unsuitableHost`,
    ///   `forbidden` when there is no folder for sockets that is this user's alone.
    public convenience init(containing path: String) throws(ProtectionError) {
        let found = try Self.find(path, in: try AgentFolder.current())
        self.init(found.process, found.place)
    }

    /// All volumes of this user that are mounted.
    ///
    /// - Throws: as `init(containing:)`, but `missing`.
    public static func all() throws(ProtectionError) -> [MountedVolume] {
        all(in: try AgentFolder.current())
    }

    init(_ process: Int32, _ place: AgentFolder) {
        self.process = process
        self.place = place
    }

    /// All that answer at sockets in a folder.
    package static func all(in place: AgentFolder) -> [MountedVolume] {
        place.processes().filter { place.connect($0) != nil }.map { MountedVolume($0, place) }
    }

    /// The one that a path belongs to; the innermost when one is mounted in another.
    package static func find(
        _ path: String, in place: AgentFolder
    ) throws(ProtectionError) -> MountedVolume {
        let real = FolderCalls.realPath(path)
        var best: (volume: MountedVolume, length: Int)?
        for volume in all(in: place) {
            guard let status = try? volume.status() else { continue }
            let isInside = real == status.folder || real.hasPrefix(status.folder + "/")
            let length = isInside ? status.folder.utf8.count : real == status.volume ? 0 : -1
            if length > best?.length ?? -1 { best = (volume, length) }
        }
        guard let best else { throw .notMounted(path) }
        return best.volume
    }

    /// How it is now.
    ///
    /// - Throws: `missing` when it is not mounted any more, `host` when the agent does not answer.
    public func status() throws(ProtectionError) -> MountStatus {
        let reply = try link(timeout: 5).ask(AgentRequest(.status))
        guard let status = reply.status else { throw .agentRequest("its answer has no status") }
        return status
    }

    /// Locks at once, whatever grace runs; the keys of `complete` are gone on return.
    ///
    /// - Returns: the programs that hold sealed files, as far as this user may see them.
    /// - Throws: as `status()`.
    @discardableResult
    public func lock() throws(ProtectionError) -> [SealedFileHolder] {
        try link(timeout: 60).ask(AgentRequest(.lock)).holders ?? []
    }

    /// Unlocks with the passcode. Takes as long as one try costs (`KeyDerivationCost`).
    ///
    /// - Throws: `wrongPasscode`, `throttled`, `damaged`; `sealed` when a lock came meanwhile; and
    ///   as `status()`. The volume is then locked as before.
    public func unlock(passcode: Passcode) throws(ProtectionError) {
        try unlock(passcode: passcode, isLogin: false)
    }

    /// The same; a login's password that was wrong once is not tried again.
    package func unlock(passcode: Passcode, isLogin: Bool) throws(ProtectionError) {
        var request = AgentRequest(.unlock)
        if isLogin { request.isLogin = true }
        _ = try link(timeout: 300).ask(request, passcode: passcode)
    }

    /// Takes the mount away, and ends the agent; the volume is then closed.
    ///
    /// - Parameter force: whether also while programs use it: what they have open fails from then.
    /// - Throws: `busy` while programs use it, without `force`; nothing has changed then. As
    ///   `status()`.
    public func unmount(force: Bool = false) throws(ProtectionError) {
        var request = AgentRequest(.unmount)
        if force { request.force = true }
        let link = try link(timeout: 60)
        try link.send(request)
        // The volume is closed when the agent has ended, which may be before it could answer.
        while try link.receive() != nil {}
    }

    func link(timeout seconds: Int) throws(ProtectionError) -> AgentLink {
        guard let socket = place.connect(process) else {
            throw .notMounted("process \(process)")
        }
        socket.setTimeout(seconds)
        return AgentLink(socket, process)
    }
}
