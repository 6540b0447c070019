import AgentControl
import DataProtection

/// Opens volumes as the options say, unlocks them when a key is needed, and closes them.
struct VolumeAccess {
    /// When the passcode is asked for at the terminal.
    enum Asking {
        /// Never: the command works with what it has.
        case never
        /// When a key is missing.
        case whenSealed
        /// At once, when there is a passcode and somebody can be asked.
        case always
    }

    private let arguments: Arguments
    private let asking: Asking
    private let volume: ProtectedVolume

    /// Opens the volume, runs a command's work, and closes it whatever happens.
    ///
    /// When a key is missing and somebody can be asked for the passcode, the work is begun again
    /// after the unlock; so it must not have changed or consumed anything before its first use of a
    /// key.
    static func with(
        _ arguments: Arguments, asking: Asking = .never, _ work: (ProtectedVolume) throws -> Void
    ) throws {
        let access = try VolumeAccess(arguments, asking)
        do {
            try access.unlockAsTold()
            try access.unlockingWhenSealed(work)
        } catch {
            try? access.volume.close()
            throw error
        }
        try access.volume.close()
    }

    /// Opens a volume with the device key, or the recovery key, and says what was found.
    ///
    /// With `--wait` it waits so long while another process has the volume.
    static func open(_ arguments: Arguments, isQuiet: Bool = false) throws -> ProtectedVolume {
        let patience = try arguments.seconds(OutboxOption.wait, atLeast: 0) ?? 0
        let end = ProcessCalls.seconds() + Double(patience)
        while true {
            do {
                return try openNow(arguments, isQuiet: isQuiet)
            } catch let error as ProtectionError where error.code == .busy {
                guard ProcessCalls.seconds() < end else { throw explained(error, arguments) }
                try Interruption.pause(0.1)
            }
        }
    }

    /// Says where the volume is mounted, when that is what keeps it busy.
    private static func explained(
        _ error: ProtectionError, _ arguments: Arguments
    ) -> ProtectionError {
        let path = FolderCalls.realPath(arguments.volumePath)
        for volume in (try? MountedVolume.all()) ?? [] {
            guard let status = try? volume.status(), status.volume == path else { continue }
            return .mounted(at: status.folder).at(error.place)
        }
        return error
    }

    private static func openNow(
        _ arguments: Arguments, isQuiet: Bool
    ) throws -> ProtectedVolume {
        // An open volume has to be closed before a signal may end the program.
        Interruption.hold()
        let path = arguments.volumePath
        let volume: ProtectedVolume
        if arguments.value(.recoveryKeyFile) != nil {
            let key = try Secrets.recoveryKey(arguments)
            volume = try hinting(path) { try ProtectedVolume.open(at: path, recoveryKey: key) }
        } else {
            try requireFolder(path)
            let key = try DeviceKey.load(from: try DeviceKeyPath.path(arguments))
            volume = try hinting(path) { try ProtectedVolume.open(at: path, deviceKey: key) }
        }
        if !isQuiet { for note in volume.openingNotes { Terminal.note(note) } }
        return volume
    }

    /// Says how to make a volume where there is nothing.
    static func hinting<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            guard let error = error as? ProtectionError, error.code == .missing else { throw error }
            throw missing(path)
        }
    }

    /// Looks for the folder first: who has no device key yet has not mistaken the device key.
    private static func requireFolder(_ path: String) throws {
        guard try HostNames.status(path) == nil else { return }
        throw missing(path)
    }

    /// There is no folder where a volume was to be.
    static func missing(_ path: String) -> Failure {
        let command = ShellWord.seal("init", [path])
        return Failure("\(path): no such folder", remedy: "to make a volume there: \(command)")
    }

    private init(_ arguments: Arguments, _ asking: Asking) throws {
        self.arguments = arguments
        self.asking = asking
        volume = try Self.open(arguments)
    }

    private func unlockAsTold() throws {
        guard volume.lockState == .beforeFirstUnlock else { return }
        if let path = arguments.value(.passcodeFile) {
            try volume.unlock(passcode: try Secrets.passcode(inFile: path))
        } else if asking == .always, Terminal.canAsk {
            try volume.unlock(passcode: try Secrets.askPasscode())
        }
        try Interruption.check()
    }

    private func unlockingWhenSealed(_ work: (ProtectedVolume) throws -> Void) throws {
        do {
            try work(volume)
        } catch let error as ProtectionError where error.code == .sealed {
            guard asking == .whenSealed, volume.lockState == .beforeFirstUnlock, Terminal.canAsk
            else { throw Self.failure(error) }
            try volume.unlock(passcode: try Secrets.askPasscode())
            try Interruption.check()
            try work(volume)
        }
    }

    /// An error of the engine, with a remedy in the command's own words.
    static func failure(_ error: ProtectionError) -> Failure {
        let failure = Failure(error)
        guard error.code == .sealed else { return failure }
        return Failure(
            failure.message,
            remedy: failure.remedy.replacingPasscode("give the passcode with --passcode-file FILE"),
            exitCode: .sealed)
    }
}

extension String {
    /// Puts the command's way of unlocking in the place of the engine's.
    fileprivate func replacingPasscode(_ words: String) -> String {
        let engine = "unlock with the passcode"
        return hasPrefix(engine) ? words + dropFirst(engine.count) : self
    }
}
