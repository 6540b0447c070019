package import DataProtection

/// The folder of this user's control sockets: one socket for each agent, named after its process.
package struct AgentFolder: Sendable, Hashable {
    /// The folder's path.
    package let path: String

    /// A folder at a path, as tests have it.
    package init(path: String) { self.path = path }

    /// The folder of the user whose process this is: `$XDG_RUNTIME_DIR/seal`, else
    /// `/run/user/UID/seal`.
    ///
    /// - Throws: `unsuitableHost` when there is no such folder, `forbidden` when others can write
    ///   there.
    package static func current() throws(ProtectionError) -> AgentFolder {
        let runtime = FolderCalls.environment("XDG_RUNTIME_DIR") ?? "/run/user/\(FolderCalls.user)"
        guard runtime.hasPrefix("/"), let found = FolderCalls.folder(runtime) else {
            throw .noRuntimeFolder
        }
        guard found.owner == FolderCalls.user, found.mode & 0o022 == 0 else {
            throw .openRuntimeFolder(runtime)
        }
        return AgentFolder(path: "\(runtime)/seal")
    }

    /// The folder of another user, for root, as PAM runs it.
    ///
    /// - Returns: `nil` when that user has none, or it is not theirs alone.
    package static func ofUser(_ user: UInt32) -> AgentFolder? {
        let path = "/run/user/\(user)/seal"
        guard let found = FolderCalls.folder(path), found.owner == user, found.mode & 0o022 == 0
        else { return nil }
        return AgentFolder(path: path)
    }

    /// Makes it, and a socket in it that this process answers at.
    package func listen() throws(ProtectionError) -> LocalSocket {
        FolderCalls.makeFolder(path)
        guard let found = FolderCalls.folder(path), found.owner == FolderCalls.user,
            found.mode & 0o022 == 0
        else { throw .openRuntimeFolder(path) }
        do throws(SocketFailure) {
            return try LocalSocket.listen(path, ownName)
        } catch {
            throw ProtectionError(HostError(code: error.code, call: "bind")).at(path)
        }
    }

    /// Removes this process's socket.
    package func removeOwn() { FolderCalls.remove("\(path)/\(ownName)") }

    /// The sockets of agents that run. What dead ones left is removed.
    func processes() -> [Int32] {
        FolderCalls.names(path).compactMap { name in
            guard name.hasSuffix(Self.ending), let process = Int32(name.dropLast(Self.ending.count))
            else { return nil }
            guard FolderCalls.isRunning(process) else {
                FolderCalls.remove("\(path)/\(name)")
                return nil
            }
            return process
        }
    }

    /// Connects to an agent.
    ///
    /// - Returns: `nil` when none answers there any more.
    func connect(_ process: Int32) -> LocalSocket? {
        try? LocalSocket.connect(path, "\(process)\(Self.ending)")
    }

    private static let ending = ".socket"
    private var ownName: String { "\(FolderCalls.process)\(Self.ending)" }
}
