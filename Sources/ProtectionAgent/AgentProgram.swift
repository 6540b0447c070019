internal import AgentControl
internal import Cryptography
internal import DataProtection
internal import Dispatch
internal import SessionLock

/// The program `seal-agent`, which `seal mount` starts.
package enum AgentProgram {
    /// What lives as long as the mount.
    private struct Parts {
        let agent: Agent
        let server: ControlServer
        let asker: PasscodeAsker
        let hooks: Hooks
        let idle: IdleWatch?
        let session: SessionWatch
    }

    /// Mounts what standard input names, and returns when it is not mounted any more.
    ///
    /// - Returns: the exit status, as `seal` has it.
    package static func run() -> Int32 {
        AgentCalls.prepare()
        var input = AgentCalls.readInput(atMost: AgentRequest.lineLimit * 8)
        defer { Wipe.zero(&input) }
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")),
            let launch: AgentLaunch = AgentLine.value(input[..<end]),
            input.count == end + 1 + launch.passcodeByteCount
        else {
            AgentCalls.write(
                Array("seal-agent: it is started by 'seal mount'\n".utf8), toError: true)
            return 2
        }
        var passcode = Array(input[(end + 1)...])
        Wipe.zero(&input)
        defer { Wipe.zero(&passcode) }
        let place: AgentFolder
        let agent: Agent
        let server: ControlServer
        do throws(ProtectionError) {
            place = try AgentFolder.current()
            agent = try mount(launch, passcode)
            do throws(ProtectionError) {
                server = try ControlServer(agent, in: place)
            } catch {
                try? agent.door.unmount(force: true)
                try? agent.volume.close()
                throw error
            }
        } catch {
            return fail(error, launch)
        }
        Wipe.zero(&passcode)
        let parts = watch(agent, server)
        // A service begins locked, when the session has begun.
        if launch.isForeground { parts.asker.askIfWanted() }
        if !report(AgentStart(notes: agent.volume.openingNotes), launch) {
            // Whoever mounts it has gone away: they were told of nothing that is mounted.
            try? agent.door.unmount(force: true)
        }
        serve(parts)
        return 0
    }

    private static func mount(
        _ launch: AgentLaunch, _ passcode: [UInt8]
    ) throws(ProtectionError) -> Agent {
        let key = try DeviceKey.load(from: launch.deviceKey)
        let volume = try ProtectedVolume.open(at: launch.volume, deviceKey: key)
        do throws(ProtectionError) {
            // A wrong passcode mounts nothing.
            if !passcode.isEmpty { try volume.unlock(passcode: try Passcode(utf8: passcode)) }
            return Agent(volume, door: try FileSystemDoor(volume, launch), launch: launch)
        } catch {
            try? volume.close()
            throw error.at(launch.volume)
        }
    }

    private static func watch(_ agent: Agent, _ server: ControlServer) -> Parts {
        let launch = agent.launch
        let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains {
            FolderCalls.environment($0) != nil
        }
        let asker = PasscodeAsker(
            agent,
            PasscodeProgram(
                launch.asking, hasDisplay: hasDisplay, isRoot: FolderCalls.user == 0,
                isThere: AgentCalls.isInPath))
        let session = SessionWatch(system: .system, user: .user) { event in
            agent.hear(event)
            if event == .screenUnlocked { asker.askIfWanted() }
        }
        agent.setCoverage { [weak session] in session?.coverage ?? SessionCoverage() }
        let idle = launch.idleMinutes.map { IdleWatch(agent, minutes: $0) }
        return Parts(
            agent: agent, server: server, asker: asker, hooks: Hooks(agent), idle: idle,
            session: session)
    }

    /// Waits for the end of the mount, whoever brings it about.
    private static func serve(_ parts: Parts) {
        let agent = parts.agent
        let isUnmounted = DispatchSemaphore(value: 0)
        let signals = AgentCalls.endingSignals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                AgentCalls.notifySystemd("STOPPING=1")
                agent.lock(.command)
                try? agent.door.unmount(force: true)
            }
            source.resume()
            return source
        }
        Task {
            await agent.door.waitUntilUnmounted()
            isUnmounted.signal()
        }
        isUnmounted.wait()
        for source in signals { source.cancel() }
        parts.session.cancel()
        parts.asker.withdraw()
        parts.server.stop()
        try? agent.volume.close()
    }

    /// Says that the volume can be used.
    ///
    /// - Returns: whether anybody heard it.
    private static func report(_ start: AgentStart, _ launch: AgentLaunch) -> Bool {
        if launch.isForeground {
            AgentCalls.notifySystemd("READY=1\nSTATUS=mounted at \(launch.folder)")
            for note in start.notes { say("note: \(note)") }
            return true
        }
        defer { AgentCalls.leaveStandardStreams() }
        return AgentCalls.write(AgentLine.bytes(start))
    }

    private static func fail(_ error: ProtectionError, _ launch: AgentLaunch) -> Int32 {
        guard launch.isForeground, let problem = AgentReply(error).error else {
            if let problem = AgentReply(error).error {
                AgentCalls.write(AgentLine.bytes(AgentStart(problem)))
            }
            return 1
        }
        say((problem.place.isEmpty ? "" : "\(problem.place): ") + problem.message)
        if !problem.remedy.isEmpty {
            AgentCalls.write(Array("hint: \(problem.remedy)\n".utf8), toError: true)
        }
        return switch error.code {
        case .sealed: 3
        case .wrongPasscode, .throttled: 4
        case .damaged: 5
        default: 1
        }
    }

    private static func say(_ text: String) {
        AgentCalls.write(Array("seal: \(text)\n".utf8), toError: true)
    }
}
