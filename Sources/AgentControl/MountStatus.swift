public import DataProtection

/// What an agent says of its volume.
public struct MountStatus: Sendable, Hashable, Codable {
    /// The volume's folder, with the ciphertext.
    public var volume: String
    /// Names the volume: 32 hexadecimal digits.
    public var identifier: String
    /// Where it is mounted.
    public var folder: String
    /// The lock state.
    public var state: LockState
    /// Why it is locked or about to be; `nil` while it is unlocked.
    public var reason: LockReason?
    /// The agent's process number.
    public var process: Int32
    /// How long the keys stay after the screen was locked, in seconds.
    public var graceSeconds: Int
    /// After how long without use it is locked, in minutes; `nil` for never.
    public var idleMinutes: Int?
    /// Whether nothing can be changed through the mount.
    public var isReadOnly: Bool
    /// Whether other users may enter.
    public var allowsOthers: Bool
    /// What locks it by itself: `login`, `sleep`, `lid`, `screenSaver`, `idle`.
    public var watched: [String]
    /// What cannot be watched, each with the reason.
    public var unwatched: [String: String]

    /// Describes a mount.
    package init(
        volume: String, identifier: String, folder: String, state: LockState, reason: LockReason?,
        process: Int32, graceSeconds: Int, idleMinutes: Int?, isReadOnly: Bool, allowsOthers: Bool,
        watched: [String], unwatched: [String: String]
    ) {
        self.volume = volume
        self.identifier = identifier
        self.folder = folder
        self.state = state
        self.reason = reason
        self.process = process
        self.graceSeconds = graceSeconds
        self.idleMinutes = idleMinutes
        self.isReadOnly = isReadOnly
        self.allowsOthers = allowsOthers
        self.watched = watched
        self.unwatched = unwatched
    }
}

/// Why a volume was locked.
public enum LockReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody has unlocked it since it was mounted.
    case start
    /// Somebody asked for it.
    case command
    /// The screen was locked.
    case screen
    /// The machine went to sleep.
    case sleep
    /// The lid was closed.
    case lid
    /// Nobody used it for the time of `--idle`.
    case idle
}

/// A program that uses files which a lock seals.
public struct SealedFileHolder: Sendable, Hashable, Codable {
    /// Its process number.
    public var process: Int32
    /// Its name.
    public var program: String
    /// The files, as paths of this machine.
    public var paths: [String]

    /// Describes a program.
    package init(process: Int32, program: String, paths: [String]) {
        self.process = process
        self.program = program
        self.paths = paths
    }
}

extension LockState: Codable {}
