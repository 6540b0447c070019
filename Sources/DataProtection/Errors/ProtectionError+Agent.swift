// The catalogue's part for agents: processes that keep a volume mounted.

extension ProtectionError {
    /// Nothing answers for this path.
    package static func notMounted(_ path: String) -> ProtectionError {
        ProtectionError(
            .missing, "it is in no mounted volume of this user, and is not the folder of one",
            remedy: "'seal status' lists what is mounted; 'seal mount' mounts a volume", place: path
        )
    }

    /// No volume is mounted at all.
    package static var nothingMounted: ProtectionError {
        ProtectionError(
            .missing, "no volume of this user is mounted",
            remedy: "mount one: seal mount VOLUME FOLDER")
    }

    /// The volume has an agent already.
    package static func mountedAlready(_ volume: String, at folder: String) -> ProtectionError {
        ProtectionError(
            .busy, "this volume is mounted already, at \(folder)",
            remedy: "use it there, or end that first: seal unmount \(folder)", place: volume)
    }

    /// The folder shows another volume already.
    package static func folderTaken(_ folder: String, by volume: String) -> ProtectionError {
        ProtectionError(
            .busy, "another volume is mounted there already, \(volume)",
            remedy: "give another folder, or end that first: seal unmount \(folder)", place: folder)
    }

    /// A command of its own on a volume that an agent has.
    package static func mounted(at folder: String) -> ProtectionError {
        ProtectionError(
            .busy, "this volume is mounted at \(folder)",
            remedy: "use its files there, or end that first: seal unmount \(folder)")
    }

    /// Nowhere to put the control socket.
    package static var noRuntimeFolder: ProtectionError {
        ProtectionError(
            .unsuitableHost, "there is no folder for the agent's socket",
            remedy: "set XDG_RUNTIME_DIR to a folder of this user alone, as /run/user/1000")
    }

    /// Others could put a socket there.
    package static func openRuntimeFolder(_ path: String) -> ProtectionError {
        ProtectionError(
            .forbidden, "other users can write to the folder of the agent's socket",
            remedy: "make it this user's alone (mode 0700), or set XDG_RUNTIME_DIR to another",
            place: path)
    }

    /// It is there, and does not answer.
    package static func agentSilent(_ process: Int32) -> ProtectionError {
        ProtectionError(
            .host, "the agent, process \(process), does not answer",
            remedy: "end it with 'kill \(process)', and mount again; what was synced is safe")
    }

    /// It was there, and ended before it answered.
    package static func agentEnded(_ process: Int32) -> ProtectionError {
        ProtectionError(
            .missing, "the agent, process \(process), ended before it answered",
            remedy: "the volume is locked; 'seal status' lists what is mounted")
    }

    /// The agent and its client are of different versions.
    package static func agentVersion(_ version: Int) -> ProtectionError {
        ProtectionError(
            .newerFormat, "the agent's protocol has version \(version), this program knows 1",
            remedy: "unmount and mount again after the update")
    }

    /// A request that the agent cannot read.
    package static func agentRequest(_ what: String) -> ProtectionError {
        invalidArgument("the agent cannot use this request: \(what)", remedy: "see docs/agent.md")
    }

    /// A lock came while the passcode was being tried.
    package static var lockedMeanwhile: ProtectionError {
        ProtectionError(
            .sealed, "the volume was locked while the passcode was being tried, and stays locked",
            remedy: "unlock it again")
    }

    /// The password of the login is not the volume's.
    package static var loginPasswordDiffers: ProtectionError {
        ProtectionError(
            .wrongPasscode,
            "the login's password is not this volume's passcode, so it is not tried again",
            remedy: "unlock once with the passcode; make both the same: seal passwd VOLUME")
    }

    /// The program that mounts is not installed.
    package static func agentProgramMissing(_ paths: String) -> ProtectionError {
        ProtectionError(
            .missing, "the program that mounts, seal-agent, is missing: \(paths)",
            remedy: "install it beside seal")
    }

    /// The agent ended before it was ready, and said nothing.
    package static var agentDied: ProtectionError {
        ProtectionError(
            .host, "the agent ended before the volume was mounted",
            remedy: "see what it says: give --foreground")
    }

    /// A folder whose server has died, and that cannot be taken away.
    package static func deadMount(_ folder: String) -> ProtectionError {
        ProtectionError(
            .busy, "a dead mount is in the way",
            remedy: "take it away: fusermount3 -u -z \(folder)",
            place: folder)
    }
}
