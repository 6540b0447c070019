import AgentControl
import DataProtection

extension Command {
    static let mount = Command(
        "mount", "make a volume a folder that any program uses",
        operands: [.volume, .mountPoint],
        options: [
            .passcodeFile, .deviceKey, AgentOption.locked, AgentOption.grace, AgentOption.idle,
            AgentOption.readOnly, AgentOption.allowOther, AgentOption.onLock,
            AgentOption.onUnlock, AgentOption.asking, AgentOption.foreground,
        ],
        details: """
            FOLDER is an empty folder. The command ends when the volume can be used there; a
            process of its own, seal-agent, then serves it until 'seal unmount'.

            A locked screen locks the volume after the grace; sleep and a closed lid lock it at
            once. Files of class complete then answer EPERM, also to programs that have them open,
            and go on after the unlock. 'seal status' says what of this the machine can tell.

            Without a terminal and without --passcode-file the volume is mounted locked. When the
            screen is unlocked again the passcode is asked for: by pinentry where there is a
            desktop, unless the login gave it (see docs/agent.md).
            """,
        examples: ["seal mount ~/.vault ~/Vault", "seal mount ~/.vault ~/Vault --idle 15"],
        run: runMount)

    static let unmount = Command(
        "unmount", "take a mounted volume away, and close it",
        operands: [.mounted], options: [AgentOption.force],
        details: """
            WHERE is where it is mounted, a path in it, or the volume's folder; it can be left out
            when one volume is mounted. While programs use it nothing happens but that they are
            named; with --force what they have open fails. What a killed agent left behind at a
            folder is taken away, too.
            """,
        examples: ["seal unmount ~/Vault"],
        run: runUnmount)

    private static func runMount(_ arguments: Arguments) throws {
        let launch = try AgentLaunch(arguments)
        try requireFree(launch)
        let keybag = try KeybagSummary(volumePath: arguments.volumePath)
        let passcode = keybag.hasPasscode ? try passcode(arguments, launch) : nil
        try MountStart.mount(launch, passcode)
        if keybag.hasPasscode, passcode == nil {
            let command = ShellWord.seal("unlock", [launch.folder])
            Terminal.note("it is locked; to unlock it: \(command)")
        }
    }

    private static func passcode(
        _ arguments: Arguments, _ launch: AgentLaunch
    ) throws -> Passcode? {
        if let path = arguments.value(.passcodeFile) {
            return try Secrets.passcode(inFile: path)
        }
        guard !arguments.has(AgentOption.locked), Terminal.canAsk else { return nil }
        return try Secrets.askPasscode()
    }

    /// Refuses to mount what is mounted already, before anybody is asked for anything.
    static func requireFree(_ launch: AgentLaunch) throws {
        for volume in try MountedVolume.all() {
            guard let status = try? volume.status() else { continue }
            if status.volume == launch.volume {
                throw ProtectionError.mountedAlready(launch.volume, at: status.folder)
            }
            if status.folder == launch.folder {
                throw ProtectionError.folderTaken(launch.folder, by: status.volume)
            }
        }
    }

    private static func runUnmount(_ arguments: Arguments) throws {
        let volume: MountedVolume
        do {
            volume = try arguments.mountedVolume()
        } catch let error as ProtectionError where error.code == .missing {
            guard let path = arguments.operand(0), FolderCalls.isDeadMount(path) else {
                throw error
            }
            return try MountStart.takeDeadMountAway(FolderCalls.realPath(path))
        }
        do throws(ProtectionError) {
            try volume.unmount(force: arguments.has(AgentOption.force))
        } catch {
            guard error.code == .busy else { throw error }
            let failure = Failure(error)
            throw Failure(
                failure.message, remedy: "close what uses it, or give --force",
                exitCode: failure.exitCode)
        }
    }
}

extension AgentLaunch {
    /// What the command line says.
    fileprivate init(_ arguments: Arguments) throws {
        self.init(
            volume: FolderCalls.realPath(arguments.volumePath),
            folder: FolderCalls.realPath(arguments.operands[1]),
            deviceKey: FolderCalls.realPath(try DeviceKeyPath.path(arguments)))
        graceSeconds = try arguments.number(AgentOption.grace, 0...3600, "seconds") ?? 10
        idleMinutes = try arguments.number(AgentOption.idle, 1...1440, "minutes")
        isReadOnly = arguments.has(AgentOption.readOnly)
        allowsOthers = arguments.has(AgentOption.allowOther)
        onLock = arguments.value(AgentOption.onLock)
        onUnlock = arguments.value(AgentOption.onUnlock)
        asking = arguments.value(AgentOption.asking) ?? "auto"
        isForeground = arguments.has(AgentOption.foreground)
        if arguments.has(AgentOption.locked), arguments.value(.passcodeFile) != nil {
            throw arguments.failure("--locked and --passcode-file exclude each other")
        }
    }
}
