import DataProtection

extension Command {
    static let passcode = Command(
        "passwd", "change the passcode, set a first one, or remove it",
        operands: [.volume],
        options: [.passcodeFile, .newPasscodeFile, .noPasscode, .cost, .deviceKey],
        details: """
            No file is touched. The old passcode does not open the volume any more; it still opens
            a copy of the folder that was made before. Without --kdf a try costs what it did.
            With --no-passcode the device key alone opens the volume from now on, it never locks,
            and secrets that were kept whenPasscodeSet are gone.
            Forgotten? 'seal recovery VOLUME restore' sets a new one with the recovery key.
            """,
        examples: ["seal passwd vault"],
        run: runPasscode)

    private static func runPasscode(_ arguments: Arguments) throws {
        let cost = try arguments.cost()
        if arguments.has(.noPasscode), cost != nil || arguments.value(.newPasscodeFile) != nil {
            throw arguments.failure("--no-passcode goes without --kdf and --new-passcode-file")
        }
        let volume = try VolumeAccess.open(arguments)
        defer { try? volume.close() }
        let old = try presentPasscode(arguments, of: volume)
        if arguments.has(.noPasscode) {
            guard let old else { throw Failure("the volume has no passcode") }
            try volume.removePasscode(old)
            try volume.close()
            return Terminal.say("the passcode was removed; the device key alone opens the volume")
        }
        let new = try Secrets.newPasscode(arguments, .newPasscodeFile)
        try volume.changePasscode(from: old, to: new, cost: cost)
        try volume.close()
        Terminal.say("the passcode was \(old == nil ? "set" : "changed")")
    }

    /// The present passcode, from a file or asked for; `nil` on a volume without one.
    static func presentPasscode(
        _ arguments: Arguments, of volume: ProtectedVolume
    ) throws -> Passcode? {
        guard volume.hasPasscode else { return nil }
        if let path = arguments.value(.passcodeFile) {
            return try Secrets.passcode(inFile: path)
        }
        guard Terminal.canAsk else {
            throw Failure(
                "this needs the passcode", remedy: "give it with --passcode-file FILE",
                exitCode: .sealed)
        }
        return try Secrets.askPasscode()
    }
}
