import AgentControl
import DataProtection

/// Starts agents.
enum MountStart {
    /// Mounts a volume; it can be used on return.
    ///
    /// - Parameter passcode: `nil` to begin locked.
    static func mount(_ launch: AgentLaunch, _ passcode: Passcode?) throws {
        let program = try programPath()
        // What a killed agent left would be found to be a mount.
        if FolderCalls.isDeadMount(launch.folder) { try takeDeadMountAway(launch.folder) }
        var launch = launch
        launch.passcodeByteCount = passcode?.withBytes { $0.count } ?? 0
        var input: [UInt8] = []
        input.reserveCapacity(65536)  // a passcode must not be left behind by growing
        defer { ProcessCalls.wipe(&input) }
        for byte in AgentLine.bytes(launch) { input.append(byte) }
        passcode?.withBytes { bytes in
            for index in bytes.indices { input.append(bytes[index]) }
        }
        // For people who look at the list of processes.
        let words = [launch.volume, launch.folder]
        if launch.isForeground { try AgentProcess.become(program, words, input: input) }
        let answer = try AgentProcess.start(program, words, input: input)
        try Interruption.check()
        guard let start: AgentStart = AgentLine.value(answer) else {
            throw ProtectionError.agentDied
        }
        if let problem = start.error { throw ProtectionError(problem) }
        for note in start.notes { Terminal.note(note) }
    }

    /// Takes away what is mounted at a folder, and waits until its volume is closed.
    static func unmount(_ folder: String, force: Bool = false) throws {
        try MountedVolume(containing: folder).unmount(force: force)
    }

    /// The program that mounts.
    static func programPath() throws -> String {
        for place in AgentProcess.places where try HostNames.status(place) != nil { return place }
        throw ProtectionError.agentProgramMissing(AgentProcess.places[0])
    }

    /// A folder whose agent was killed answers nothing until it is taken away.
    static func takeDeadMountAway(_ folder: String) throws {
        let (_, status) = try ProcessCalls.run("/usr/bin/fusermount3", ["-u", "-z", folder])
        if status != 0 { throw ProtectionError.deadMount(folder) }
    }
}
