import DataProtection
import FoundationEssentials

extension Command {
    static let secret = Command(
        "secret", "keep passwords, tokens and keys, each sealed on its own",
        operands: [
            .volume, Operand("ACTION", .choice(SecretAction.allCases.map(\.rawValue))),
            Operand("KEY", .choice([]), isOptional: true),
        ],
        options: [SecretOption.accessible, SecretOption.device, .json] + Option.access,
        details: """
            set KEY   reads the value from standard input, all of it, up to 4096 bytes; at a
                      terminal it asks, and shows nothing. --accessible says when it can be read.
            get KEY   writes the value to standard output, as it was given.
            list      one line a secret: its key, when it can be read, whether it can be now.
            rm KEY    removes it. Works without the passcode.

            --accessible is whenUnlocked, afterFirstUnlock (also in the background), or
            whenPasscodeSet (gone when the passcode is removed). A secret that is there keeps what
            it had. --this-device-only needs this machine's device key beside everything else: the
            recovery key does not open it. Another accessibility takes that away unless it is given.

            Without the passcode a volume that was opened is before its first unlock: 'get' ends
            with 3 then, never as if there were no secret; that is 1.
            """,
        examples: [
            "seal secret vault set api-token --accessible whenUnlocked <token",
            "seal secret vault get api-token",
        ],
        run: runSecret)

    private static func runSecret(_ arguments: Arguments) throws {
        switch try arguments.secretAction() {
        case .set: try SecretCommand.set(arguments)
        case .get: try SecretCommand.get(arguments)
        case .list: try SecretCommand.list(arguments)
        case .rm:
            let key = arguments.operands[2]
            try VolumeAccess.with(arguments, asking: .never) { volume in
                guard try volume.secrets.delete(key) else { throw SecretCommand.missing(key) }
            }
        }
    }
}

/// What `secret` can do.
enum SecretAction: String, CaseIterable {
    case set, get, list, rm

    /// Its own options.
    var options: [Option] {
        switch self {
        case .set: [SecretOption.accessible, SecretOption.device]
        case .get, .rm: []
        case .list: [.json]
        }
    }
}

/// The options of `secret` alone.
enum SecretOption {
    static let accessible = Option(
        "--accessible", value: "WHEN", .choice(SecretAccessibility.allCases.map(\.rawValue)),
        "set: whenUnlocked, afterFirstUnlock or whenPasscodeSet")
    static let device = Option("--this-device-only", "set: the recovery key does not open it")
}

extension Arguments {
    /// What `secret` is to do, when what follows fits.
    fileprivate func secretAction() throws -> SecretAction {
        let word = operands[1]
        guard let action = SecretAction(rawValue: word) else {
            let all = SecretAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure("'\(word)' is none of \(all)")
        }
        for option in SecretAction.allCases.flatMap(\.options)
        where !action.options.contains(where: { $0.name == option.name }) {
            guard has(option) || value(option) != nil else { continue }
            throw failure("\(option.name) is not for \(word)")
        }
        guard (operand(2) == nil) == (action == .list) else {
            throw failure(action == .list ? "list takes no KEY" : "KEY is missing")
        }
        return action
    }
}

/// The actions of `secret`, one by one.
enum SecretCommand {
    static func missing(_ key: String) -> Failure {
        Failure("\(key): there is no secret of this key", remedy: "'list' shows which there are")
    }

    static func set(_ arguments: Arguments) throws {
        let key = arguments.operands[2]
        let wanted = try arguments.value(
            SecretOption.accessible,
            choices: SecretAccessibility.allCases.map(\.rawValue).joined(separator: ", ")
        ) { SecretAccessibility(rawValue: $0) }
        var bytes =
            Terminal.readsInput
            ? try Terminal.ask("The secret", isSecret: true)
            : try HostBody.read(
                "-", atMost: SecretStore.valueByteLimit,
                remedy: "keep it in a file of class complete")
        defer { ProcessCalls.wipe(&bytes) }
        let value = Data(bytes)
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            if let wanted {
                return try volume.secrets.set(
                    value, forKey: key, accessibility: wanted,
                    thisDeviceOnly: arguments.has(SecretOption.device))
            }
            guard try volume.secrets.secret(key) != nil else {
                throw arguments.failure("a new secret needs --accessible")
            }
            guard !arguments.has(SecretOption.device) else {
                throw arguments.failure("--this-device-only goes with --accessible")
            }
            try volume.secrets.update(value, forKey: key)
        }
    }

    static func get(_ arguments: Arguments) throws {
        let key = arguments.operands[2]
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            guard let value = try volume.secrets.read(key) else { throw missing(key) }
            var bytes = Array(value)
            defer { ProcessCalls.wipe(&bytes) }
            try Output.bytes(bytes.span)
            if Terminal.showsOutput { try Output.line("") }
        }
    }

    static func list(_ arguments: Arguments) throws {
        try VolumeAccess.with(arguments, asking: .never) { volume in
            let secrets = try volume.secrets.list()
            guard !arguments.has(.json) else {
                return try Output.line(JSONValue.array(secrets.map { .object($0.json) }).lines)
            }
            for secret in secrets { try Output.line(secret.line) }
        }
    }
}

extension Secret {
    fileprivate var line: String {
        HelpText.padded(accessibility?.rawValue ?? "damaged", to: 18)
            + HelpText.padded(isThisDeviceOnly ? "this device" : "", to: 13)
            + HelpText.padded(isSealed ? "sealed" : "readable", to: 10) + ShellWord.quoted(key)
    }

    fileprivate var json: [(String, JSONValue)] {
        [
            ("key", .string(key)), ("accessibility", .optional(accessibility?.rawValue)),
            ("thisDeviceOnly", .bool(isThisDeviceOnly)), ("sealed", .bool(isSealed)),
            ("changed", .string(UTCTime.text(changedAt))),
        ]
    }
}
