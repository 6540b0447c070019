/// What `seal mount` tells the agent on its standard input: a line of JSON, then the passcode's
/// bytes.
package struct AgentLaunch: Sendable, Hashable, Codable {
    /// The volume's folder, an absolute path.
    package var volume: String
    /// Where it is to be mounted, an absolute path.
    package var folder: String
    /// The device key's file, an absolute path.
    package var deviceKey: String
    /// How many bytes of passcode follow; 0 to begin locked.
    package var passcodeByteCount = 0
    /// How long the keys stay after the screen was locked, in seconds.
    package var graceSeconds = 10
    /// After how long without use it is locked, in minutes.
    package var idleMinutes: Int?
    /// Whether nothing can be changed through the mount.
    package var isReadOnly = false
    /// Whether other users may enter.
    package var allowsOthers = false
    /// What a shell runs after each lock.
    package var onLock: String?
    /// What a shell runs after each unlock.
    package var onUnlock: String?
    /// Who asks for the passcode: `auto`, `none`, `pinentry`, `systemd`, or a program's path.
    package var asking = "auto"
    /// Whether it stays in the foreground, and says itself what goes wrong.
    package var isForeground = false

    /// The defaults.
    package init(volume: String, folder: String, deviceKey: String) {
        self.volume = volume
        self.folder = folder
        self.deviceKey = deviceKey
    }
}

/// What the agent answers on its standard output, when it is ready or cannot be.
package struct AgentStart: Sendable, Hashable, Codable {
    /// What was found when the volume was opened, in words.
    package var notes: [String] = []
    /// Why it is not mounted; `nil` when it is.
    package var error: AgentReply.Problem?

    /// It is mounted.
    package init(notes: [String]) { self.notes = notes }

    /// It is not.
    package init(_ error: AgentReply.Problem) { self.error = error }
}
