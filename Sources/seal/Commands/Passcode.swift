import DataProtection

extension Command {
    static let passcode = Command(
        "passwd", "change the passcode, or set a first one",
        operands: [.volume],
        options: [.passcodeFile, .newPasscodeFile, .cost, .deviceKey],
        details: """
            No file is touched. The old passcode does not open the volume any more; it still opens
            a copy of the folder that was made before. Without --kdf a try costs what it did.
            Forgotten? 'seal recovery VOLUME restore' sets a new one with the recovery key.
            """,
        examples: ["seal passwd vault"],
        run: runPasscode)

    private static func runPasscode(_ arguments: Arguments) throws {
        let cost = try arguments.cost()
        let volume = try VolumeAccess.open(arguments)
        defer { try? volume.close() }
        let old = try presentPasscode(arguments, of: volume)
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
