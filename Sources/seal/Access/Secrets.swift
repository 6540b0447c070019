import DataProtection

/// Where passcodes and keys come from: a file, or the terminal.
enum Secrets {
    /// The first line of a file; `-` and `/dev/stdin` read the next line of standard input.
    static func line(of path: String) throws -> [UInt8] {
        if path == "-" || path == "/dev/stdin" {
            return try Line.read(from: HostFile.standardInput)
        }
        return try Line.read(from: try HostFile(opening: path))
    }

    /// The passcode that an option names.
    static func passcode(inFile path: String) throws -> Passcode {
        try passcode(try line(of: path))
    }

    /// Asks for a passcode once.
    static func askPasscode(_ question: String = "Passcode") throws -> Passcode {
        try passcode(try Terminal.ask(question, isSecret: true))
    }

    /// A new passcode: from a file, or asked for twice.
    ///
    /// - Parameter option: the option that would have named a file.
    static func newPasscode(_ arguments: Arguments, _ option: Option) throws -> Passcode {
        if let path = arguments.value(option) { return try passcode(inFile: path) }
        guard Terminal.canAsk else {
            throw Failure(
                "there is no terminal to ask for the new passcode",
                remedy: "give \(option.name) FILE", exitCode: .usage)
        }
        var first = try Terminal.ask("New passcode", isSecret: true)
        var second = try Terminal.ask("New passcode again", isSecret: true)
        defer { ProcessCalls.wipe(&second) }
        guard first == second else {
            ProcessCalls.wipe(&first)
            throw Failure("the two passcodes differ", remedy: "try again")
        }
        return try passcode(first)
    }

    /// The recovery key: from a file, or typed.
    static func recoveryKey(_ arguments: Arguments) throws -> RecoveryKey {
        var line: [UInt8]
        if let path = arguments.value(.recoveryKeyFile) {
            line = try self.line(of: path)
        } else if Terminal.canAsk {
            // Shown while typed: 36 characters copied from paper are not typed blindly.
            line = try Terminal.ask("Recovery key", isSecret: false)
        } else {
            throw Failure(
                "there is no terminal to ask for the recovery key",
                remedy: "give --recovery-key-file FILE", exitCode: .usage)
        }
        defer { ProcessCalls.wipe(&line) }
        return try RecoveryKey(String(decoding: line, as: UTF8.self))
    }

    private static func passcode(_ bytes: consuming [UInt8]) throws -> Passcode {
        var bytes = bytes
        defer { ProcessCalls.wipe(&bytes) }
        return try Passcode(utf8: bytes)
    }
}

/// Where the device key is.
enum DeviceKeyPath {
    /// `--device-key`, else `SEAL_DEVICE_KEY`, else `seal/device.key` in the user's data folder.
    static func path(_ arguments: Arguments) throws -> String {
        if let path = arguments.value(.deviceKey) ?? ProcessCalls.environment("SEAL_DEVICE_KEY") {
            return path
        }
        if let folder = ProcessCalls.environment("XDG_DATA_HOME"), folder.hasPrefix("/") {
            return "\(folder)/seal/device.key"
        }
        guard let home = ProcessCalls.environment("HOME") else {
            throw Failure(
                "HOME is not set, so the device key cannot be found",
                remedy: "name it with --device-key FILE")
        }
        return "\(home)/.local/share/seal/device.key"
    }
}
