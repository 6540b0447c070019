import DataProtection

extension Command {
    /// Every command, in the order in which the help lists them.
    package static let all: [Command] = [
        initialize, put, get, list, makeFolder, move, remove, protectionClass, passcode, recovery,
        verify, mount, unmount, lock, unlock, status, watch, protect, tree, setup, exportAll,
        outbox, secret, policy, database, erase, information, demo, help,
        demoBeforeFirstUnlock, completeWords,
    ]
}

extension Option {
    static let passcodeFile = Option(
        "--passcode-file", value: "FILE", .hostFile, "the passcode is the first line of FILE")
    static let newPasscodeFile = Option(
        "--new-passcode-file", value: "FILE", .hostFile,
        "the new passcode is the first line of FILE")
    static let recoveryKeyFile = Option(
        "--recovery-key-file", value: "FILE", .hostFile,
        "open with the recovery key alone, without device key"
    )
    static let deviceKey = Option(
        "--device-key", value: "FILE", .hostFile, "the device key (default: see 'seal help init')")
    static let protectionClass = Option(
        "--class", value: "NAME", .protectionClass,
        "complete, completeUnlessOpen, …, none; or a letter, A to D")
    static let cost = Option(
        "--kdf", value: "NAME", .choice(["interactive", "moderate", "sensitive"]),
        "what a try costs: interactive, moderate or sensitive")
    static let noPasscode = Option("--no-passcode", "the device key alone opens it; it never locks")
    static let json = Option("--json", "print JSON")

    /// What every command takes that opens a volume.
    static let access: [Option] = [passcodeFile, recoveryKeyFile, deviceKey]
}

extension WordKind {
    /// A protection class.
    static let protectionClass = WordKind.choice(ProtectionClass.allCases.map(\.name))
}
