import DataProtection

extension Command {
    static let initialize = Command(
        "init", "make a volume in a folder that is new or empty",
        operands: [.volume],
        options: [
            InitializeOption.defaultClass, InitializeOption.entitlements, InitializeOption.cipher,
            .cost, InitializeOption.rules, InitializeOption.privateNames, InitializeOption.throttle,
            .noPasscode, .passcodeFile, .deviceKey,
        ],
        details: """
            Asks for a passcode, twice. The volume then needs this machine's device key and the
            passcode. The device key is a file outside the volume, made when there is none:
            --device-key FILE, else $SEAL_DEVICE_KEY, else $XDG_DATA_HOME/seal/device.key, else
            ~/.local/share/seal/device.key. Back it up, or make a recovery key.

            What is chosen here holds for the life of the volume, but for the passcode and its cost.
            """,
        examples: [
            "seal init vault", "seal init vault --default-class complete --passcode-file FILE",
        ],
        run: runInitialize)

    private static func runInitialize(_ arguments: Arguments) throws {
        let configuration = try VolumeConfiguration(arguments)
        let path = arguments.volumePath
        try requireNoVolume(at: path)
        if let outer = HostPath.volume(around: path) {
            throw Failure(
                "\(path): it would be in the folder of the volume \(outer)",
                remedy: "give a place outside that folder")
        }
        let hasPasscode = !arguments.has(.noPasscode)
        guard hasPasscode || arguments.value(.passcodeFile) == nil else {
            throw arguments.failure("--no-passcode and --passcode-file exclude each other")
        }
        Interruption.hold()
        let passcode = hasPasscode ? try Secrets.newPasscode(arguments, .passcodeFile) : nil
        let deviceKeyPath = try DeviceKeyPath.pathToMake(arguments)
        try Interruption.check()
        let deviceKey = try DeviceKey.loadOrCreate(at: deviceKeyPath)
        let volume = try ProtectedVolume.create(
            at: path, configuration: configuration, passcode: passcode, deviceKey: deviceKey)
        let identifier = volume.identifier
        try volume.close()
        Terminal.say("made volume \(identifier) in \(path)")
        Terminal.note("it opens with the device key \(deviceKeyPath)")
        if hasPasscode {
            Terminal.note("new files have class \(configuration.defaultClass)")
        } else {
            Terminal.note(
                "without a passcode it never locks; to set one: \(ShellWord.seal("passwd", [path]))"
            )
        }
        let command = ShellWord.seal("recovery", [path, "create"])
        Terminal.hint("for the day that the device key is lost: \(command)")
    }

    /// Says before any question whether the folder is taken.
    private static func requireNoVolume(at path: String) throws {
        do throws(ProtectionError) {
            // No volume opens with a key drawn just now: what is thrown tells what is there.
            try ProtectedVolume.open(at: path, deviceKey: try DeviceKey.inMemory()).close()
        } catch {
            switch error.code {
            // Damaged: files that are no volume's look like what a lost keybag leaves. The folder
            // is not empty then, and making the volume says so.
            case .notAVolume, .missing, .damaged: return
            case .deviceKey, .busy:
                throw Failure(
                    "\(path): there is a volume already",
                    remedy: "use it, or give another folder")
            default: throw error
            }
        }
    }
}

/// The options of `init` alone.
enum InitializeOption {
    static let defaultClass = Option(
        "--default-class", value: "NAME", .protectionClass,
        "the class of new files where no folder says otherwise")
    static let entitlements = Option(
        "--entitlements", value: "PLIST", .hostFile,
        "take the default class from an app's entitlements")
    static let cipher = Option(
        "--cipher", value: "NAME", .choice(["auto", "aes", "chacha"]), "auto, aes or chacha")
    static let rules = Option(
        "--rules", value: "NAME", .choice(["safer", "apple"]),
        "safer: a saved file keeps its stronger class; apple: as iOS")
    static let privateNames = Option("--private-names", "no listing before the first unlock")
    static let throttle = Option(
        "--throttle", value: "apple", .choice(["apple"]),
        "delays after wrong passcodes; the tenth disables it")
}

extension VolumeConfiguration {
    /// What the options of `init` say.
    init(_ arguments: Arguments) throws {
        self.init()
        let named = try arguments.protectionClass(InitializeOption.defaultClass)
        if let path = arguments.value(InitializeOption.entitlements) {
            guard named == nil else {
                throw arguments.failure("--default-class and --entitlements exclude each other")
            }
            defaultClass = try Entitlements.defaultClass(inFile: path)
        } else if let named {
            defaultClass = named
        }
        cipher =
            try arguments.value(InitializeOption.cipher, choices: "auto, aes or chacha") {
                VolumeCipher(rawValue: $0)
            } ?? .automatic
        passcodeCost = try arguments.cost() ?? .moderate
        ruleSet =
            try arguments.value(InitializeOption.rules, choices: "safer or apple") { text in
                RuleSet.allCases.first { $0.name == text }
            } ?? .safer
        hasPrivateNames = arguments.has(InitializeOption.privateNames)
        delaysPasscodes =
            try arguments.value(InitializeOption.throttle, choices: "apple") {
                $0 == "apple" ? true : nil
            } ?? false
    }
}
