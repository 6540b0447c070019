import AgentControl
import DataProtection

/// The options of the commands that mount.
enum AgentOption {
    static let locked = Option("--locked", "do not ask: what needs the passcode stays sealed")
    static let foreground = Option("--foreground", "stay, for systemd or to see what it says")
    static let grace = Option(
        "--grace", value: "SECONDS", .choice(["0", "10", "60"]),
        "how long a locked screen leaves the keys (default 10)")
    static let idle = Option(
        "--idle", value: "MINUTES", .choice(["5", "15", "60"]), "lock after so long without use")
    static let allowOther = Option("--allow-other", "other users may enter, as the modes allow")
    static let readOnly = Option("--read-only", "nothing can be changed through the mount")
    static let onLock = Option(
        "--on-lock", value: "COMMAND", .choice([]), "a shell command to run after each lock")
    static let onUnlock = Option(
        "--on-unlock", value: "COMMAND", .choice([]), "a shell command to run after each unlock")
    static let asking = Option(
        "--ask", value: "PROGRAM", .choice(["auto", "none", "pinentry", "systemd"]),
        "who asks when you are back: auto, none, pinentry, systemd, a program")
    static let force = Option("--force", "also while programs use it; what they have open fails")
    static let login = Option("--login", "the password of a login is on standard input (for PAM)")
}

extension Operand {
    /// Where a volume is mounted, or a path in it, or the volume's folder.
    static let mounted = Operand("WHERE", .hostFolder, isOptional: true)
    /// Where a volume is to be mounted.
    static let mountPoint = Operand("FOLDER", .hostFolder)
}

extension Arguments {
    /// The mounted volume that is meant: the one at WHERE, or the only one.
    func mountedVolume() throws -> MountedVolume {
        if let path = operand(0) { return try MountedVolume(containing: path) }
        let all = try MountedVolume.all()
        guard all.count <= 1 else {
            let folders = all.compactMap { try? $0.status().folder }.joined(separator: ", ")
            throw failure("several volumes are mounted, WHERE says which: \(folders)")
        }
        guard let only = all.first else { throw ProtectionError.nothingMounted }
        return only
    }

    /// The mounted volumes that are meant: the one at WHERE, or all.
    func mountedVolumes() throws -> [MountedVolume] {
        operand(0) == nil ? try MountedVolume.all() : [try mountedVolume()]
    }

    /// A whole number that an option gives.
    func number(_ option: Option, _ range: ClosedRange<Int>, _ unit: String) throws -> Int? {
        let choices = "a whole number of \(unit), from \(range.lowerBound) to \(range.upperBound)"
        return try value(option, choices: choices) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
