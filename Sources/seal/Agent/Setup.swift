import AgentControl
import DataProtection

extension Command {
    static let setup = Command(
        "setup", "make a sealed folder, with what is in it already",
        operands: [.mountPoint],
        options: [
            SetupOption.volume, .passcodeFile, SetupOption.acceptWeak, .cost, .deviceKey,
            InitializeOption.defaultClass, SetupOption.noUnit,
        ],
        details: """
            Makes a volume beside FOLDER (~/Vault: ~/.Vault.sealed), with a passcode and a
            recovery key; copies what is in FOLDER into it; and mounts it there. What was in FOLDER
            is kept beside it (~/Vault.unsealed) until you remove it: before that, every byte,
            mode, time, owner and link of the copy was compared with it. Whatever happens before
            the end, FOLDER is as it was.

            New files have class complete, unless --default-class says otherwise.

            Where systemd serves the user, the unit seal@NAME mounts it at each login.
            The way out: 'seal export-all'.
            """,
        examples: ["seal setup ~/Vault", "seal setup ~/Letters --volume ~/.letters"],
        run: runSetup)

    static let exportAll = Command(
        "export-all", "copy all of a volume out, as plain files",
        operands: [.volume, Operand("DESTINATION", .hostFolder)],
        options: [.passcodeFile, .deviceKey],
        details: """
            DESTINATION is a new or empty folder. The volume must not be mounted. Afterwards every
            byte, mode, time, owner and link was compared. The copy is plain: whoever may
            read DESTINATION reads it.
            """,
        examples: ["seal export-all ~/.Vault.sealed ~/Plain"],
        run: runExportAll)

    private static func runSetup(_ arguments: Arguments) throws {
        let plan = try SetupPlan(arguments)
        try plan.requireFree()
        _ = try MountStart.programPath()
        let passcode = try newPasscode(arguments)
        var configuration = try VolumeConfiguration(arguments)
        // Who sets up a folder that is sealed when the screen locks means its files.
        if arguments.value(InitializeOption.defaultClass) == nil {
            configuration.defaultClass = .complete
        }
        try makeVolume(plan, passcode, configuration)
        if plan.hasContent {
            Terminal.say("copying what is in \(plan.folder)")
            do {
                try TreeCopy.into(plan.launch(at: plan.staging), passcode, from: plan.folder)
                try plan.putAside()
            } catch {
                Terminal.hint(
                    "\(plan.folder) is as it was; before you begin again, remove \(plan.volume)")
                throw error
            }
        }
        try plan.makeFolder()
        try MountStart.mount(plan.launch(at: plan.folder), passcode)
        Terminal.say("\(plan.folder) is sealed when the session locks")
        if plan.hasContent {
            Terminal.hint(
                "what was in it is still in the clear, in \(plan.aside): look at the new folder, "
                    + "then remove that")
        }
        if !arguments.has(SetupOption.noUnit) { plan.enableUnit() }
        Terminal.hint(
            "the way out: " + ShellWord.seal("unmount", [plan.folder]) + ", "
                + ShellWord.seal("export-all", [plan.volume, "DESTINATION"]))
    }

    /// A passcode that is not guessed at once.
    private static func newPasscode(_ arguments: Arguments) throws -> Passcode {
        let passcode = try Secrets.newPasscode(arguments, .passcodeFile)
        let strength = passcode.withBytes { bytes in
            var copy: [UInt8] = []
            copy.reserveCapacity(bytes.count)
            for index in bytes.indices { copy.append(bytes[index]) }
            defer { ProcessCalls.wipe(&copy) }
            return PasscodeStrength(copy)
        }
        guard strength.bits < PasscodeStrength.enough, !arguments.has(SetupOption.acceptWeak) else {
            return passcode
        }
        throw Failure(
            "this passcode is guessed soon by whoever has the folder and the device key",
            remedy: "take four words that have nothing to do with each other, or give --accept-weak"
        )
    }

    private static func makeVolume(
        _ plan: SetupPlan, _ passcode: Passcode, _ configuration: VolumeConfiguration
    ) throws {
        let volume = try ProtectedVolume.create(
            at: plan.volume, configuration: configuration, passcode: passcode,
            deviceKey: try DeviceKey.loadOrCreate(at: plan.deviceKey))
        defer { try? volume.close() }
        try volume.makeRecoveryKey(passcode: passcode) { key in
            try Output.line(key.text)
            Terminal.say("this is the recovery key; write it down, it is not shown again")
            guard Terminal.canAsk else { return }
            let last = key.text.suffix(4)
            for _ in 0..<3 {
                let typed = try Terminal.ask(
                    "Its last four characters, as you wrote them down", isSecret: false)
                if String(decoding: typed, as: UTF8.self).uppercased() == last { return }
            }
            throw Failure(
                "the recovery key was not confirmed",
                remedy: "remove \(plan.volume), and begin again")
        }
        try volume.close()
    }

    private static func runExportAll(_ arguments: Arguments) throws {
        let destination = FolderCalls.realPath(arguments.operands[1])
        if try HostPath.isInside(destination, arguments.volumePath) {
            throw Failure("\(destination): it is in the volume's own folder")
        }
        var launch = AgentLaunch(
            volume: FolderCalls.realPath(arguments.volumePath),
            folder: destination + ".exporting",
            deviceKey: FolderCalls.realPath(try DeviceKeyPath.path(arguments)))
        launch.isReadOnly = true
        launch.asking = "none"
        try requireFree(launch)
        let keybag = try KeybagSummary(volumePath: arguments.volumePath)
        var passcode: Passcode?
        if keybag.hasPasscode {
            if let path = arguments.value(.passcodeFile) {
                passcode = try Secrets.passcode(inFile: path)
            } else {
                guard Terminal.canAsk else {
                    throw Failure(
                        "this needs the passcode", remedy: "give it with --passcode-file FILE",
                        exitCode: .sealed)
                }
                passcode = try Secrets.askPasscode()
            }
        }
        try TreeCopy.out(launch, passcode, to: destination)
        Terminal.say("everything is in \(destination), in the clear")
    }
}

/// The options of `setup` alone.
enum SetupOption {
    static let volume = Option(
        "--volume", value: "VOLUME", .hostFolder, "where the ciphertext goes (default: beside it)")
    static let acceptWeak = Option("--accept-weak", "take a passcode that is guessed soon")
    static let noUnit = Option("--no-unit", "do not mount it at each login")
}
