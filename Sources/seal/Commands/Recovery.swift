import DataProtection

extension Command {
    static let recovery = Command(
        "recovery", "make, remove or use the recovery key",
        operands: [
            .volume, Operand("create|remove|restore", .choice(["create", "remove", "restore"])),
        ],
        options: [
            .passcodeFile, .recoveryKeyFile, .newPasscodeFile, .noPasscode, .cost, .deviceKey,
        ],
        details: """
            create   prints a new recovery key, this once; an earlier one stops working.
            remove   the recovery key stops working.
            restore  with the recovery key: binds the volume to this machine's device key and sets
                     a new passcode. For a new machine, and for a forgotten passcode.

            The recovery key alone opens everything. Keep it away from the machine.
            """,
        examples: [
            "seal recovery vault create", "seal recovery vault restore --recovery-key-file FILE",
        ],
        run: runRecovery)

    private static func runRecovery(_ arguments: Arguments) throws {
        switch arguments.operands[1] {
        case "create": try createRecoveryKey(arguments)
        case "remove": try removeRecoveryKey(arguments)
        case "restore": try restore(arguments)
        case let other: throw arguments.failure("'\(other)' is none of create, remove, restore")
        }
    }

    private static func createRecoveryKey(_ arguments: Arguments) throws {
        let volume = try VolumeAccess.open(arguments)
        defer { try? volume.close() }
        let passcode = try presentPasscode(arguments, of: volume)
        var isPrinted = false
        do {
            // Printed before it counts: a key that nobody has seen must not replace an earlier one.
            try volume.makeRecoveryKey(passcode: passcode) { key in
                try Interruption.check()
                try Output.line(key.text)
                isPrinted = true
            }
        } catch {
            if isPrinted { Terminal.note("the recovery key that was printed does not work") }
            throw error
        }
        try volume.close()
        Terminal.say("write the recovery key down; it is not shown again")
        Terminal.hint("who has it, and the folder, needs no passcode: keep it elsewhere")
    }

    private static func removeRecoveryKey(_ arguments: Arguments) throws {
        let volume = try VolumeAccess.open(arguments)
        defer { try? volume.close() }
        guard volume.hasRecoveryKey else { throw Failure("the volume has no recovery key") }
        try volume.removeRecoveryKey(passcode: try presentPasscode(arguments, of: volume))
        try volume.close()
        Terminal.say("the recovery key was removed")
    }

    private static func restore(_ arguments: Arguments) throws {
        let path = arguments.volumePath
        let cost = try arguments.cost()
        let recoveryKey = try Secrets.recoveryKey(arguments)
        Interruption.hold()
        let volume = try VolumeAccess.hinting(path) {
            try ProtectedVolume.open(at: path, recoveryKey: recoveryKey)
        }
        defer { try? volume.close() }
        for note in volume.openingNotes { Terminal.note(note) }
        let passcode =
            arguments.has(.noPasscode) ? nil : try Secrets.newPasscode(arguments, .newPasscodeFile)
        let deviceKeyPath = try DeviceKeyPath.pathToMake(arguments)
        try volume.restore(
            recoveryKey: recoveryKey, deviceKey: try DeviceKey.loadOrCreate(at: deviceKeyPath),
            passcode: passcode, cost: cost)
        try volume.close()
        Terminal.say("the volume opens with the device key \(deviceKeyPath) from now on")
        let command = ShellWord.seal("recovery", [path, "create"])
        Terminal.hint("the recovery key still works; for a new one: \(command)")
    }
}
