import DataProtection

/// Where passcodes and keys come from: a file, or the terminal.
enum Secrets {
    /// The first line of a file; `-` and `/dev/stdin` read the next line of standard input.
    static func line(of path: String) throws -> [UInt8] {
        let file = path == "-" ? HostFile.standardInput : try HostFile(reading: path)
        var line = try Line.read(from: file)
        guard !line.starts(with: [0xEF, 0xBB, 0xBF]) else {
            ProcessCalls.wipe(&line)
            throw Failure(
                "\(file.path): it begins with a byte order mark",
                remedy: "save it as UTF-8 without one (BOM)")
        }
        return line
    }

    /// The passcode that an option names.
    static func passcode(inFile path: String) throws -> Passcode {
        try passcode(try line(of: path))
    }

    /// Asks for the present passcode.
    static func askPasscode() throws -> Passcode {
        try passcode(try Terminal.ask("Passcode", isSecret: true))
    }

    /// A new passcode: from a file, or asked for twice.
    ///
    /// - Parameter option: the option that would have named a file.
    static func newPasscode(_ arguments: Arguments, _ option: Option) throws -> Passcode {
        let remedy =
            arguments.knows(.noPasscode)
            ? "choose another, or do without one: --no-passcode" : "choose another"
        if let path = arguments.value(option) {
            return try passcode(try line(of: path), remedy: remedy)
        }
        guard Terminal.canAsk else {
            throw Failure(
                "there is no terminal to ask for the new passcode",
                remedy: "give \(option.name) FILE", exitCode: .usage)
        }
        var first = try Terminal.ask("New passcode", isSecret: true)
        defer { ProcessCalls.wipe(&first) }
        // Whether it can be one is said before it is typed again.
        let passcode = try passcode(first, remedy: remedy)
        var second = try Terminal.ask("New passcode again", isSecret: true)
        defer { ProcessCalls.wipe(&second) }
        guard first == second else {
            throw Failure("the two passcodes differ", remedy: "try again")
        }
        return passcode
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

    /// Makes a passcode and wipes the bytes.
    private static func passcode(
        _ line: consuming [UInt8], remedy: String = "try again"
    ) throws -> Passcode {
        var bytes = line
        defer { ProcessCalls.wipe(&bytes) }
        do throws(ProtectionError) {
            return try Passcode(utf8: bytes)
        } catch {
            throw Failure(error.message, remedy: remedy)
        }
    }
}

/// Where the device key is.
enum DeviceKeyPath {
    /// Where a device key may be made: not beside the ciphertext that it opens.
    static func pathToMake(_ arguments: Arguments) throws -> String {
        let path = try path(arguments)
        guard try !HostPath.isInside(path, arguments.volumePath) else {
            throw Failure(
                "\(path): the device key would be in the volume's own folder",
                remedy: "choose a place outside with --device-key FILE")
        }
        return path
    }

    /// `--device-key`, else `SEAL_DEVICE_KEY`, else `seal/device.key` in the user's data folder.
    static func path(_ arguments: Arguments) throws -> String {
        try path(arguments.value(.deviceKey))
    }

    /// The same, for a value of `--device-key` that may be missing.
    static func path(_ given: String?) throws -> String {
        if let given { return given }
        if let path = try ProcessStart.environment("SEAL_DEVICE_KEY") { return path }
        if let folder = try ProcessStart.environment("XDG_DATA_HOME"), folder.hasPrefix("/") {
            return "\(folder)/seal/device.key"
        }
        guard let home = try ProcessStart.environment("HOME") else {
            throw Failure(
                "HOME is not set, so the device key cannot be found",
                remedy: "name it with --device-key FILE")
        }
        return "\(home)/.local/share/seal/device.key"
    }
}
