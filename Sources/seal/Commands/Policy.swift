import DataProtection

extension Command {
    static let policy = Command(
        "policy", "decide the class of each kind of file once, for every writer",
        operands: [
            .volume, Operand("ACTION", .choice(PolicyAction.allCases.map(\.rawValue))),
            Operand("WHAT", .choice(PolicyContent.allCases.map(\.rawValue)), isOptional: true),
        ],
        options: [
            PolicyOption.file, PolicyOption.force, PolicyOption.need, PolicyOption.size, .json,
        ] + Option.access,
        details: """
            init         gives the volume a policy to begin with, or that of --from.
            show         prints it; with --json as it is written.
            check PATH   says of which kind a path is, and what a new file there gets.
            remove       takes it away.
            advise WHAT  what does it hold, when is it needed: the class, and what that means.

            The policy is a file in the volume, protection-policy.json, which any program can change
            (docs/policy.md). A class that is weaker than the policy's is refused, or raised.
            """,
        examples: [
            "seal policy vault init", "seal policy vault check Captures/1.jpg",
            "seal policy vault advise healthRecord --needed afterFirstUnlock",
        ],
        run: runPolicy)

    private static func runPolicy(_ arguments: Arguments) throws {
        switch try arguments.policyAction() {
        case .`init`: try PolicyCommand.begin(arguments)
        case .show: try PolicyCommand.show(arguments)
        case .check: try PolicyCommand.check(arguments)
        case .remove:
            try VolumeAccess.with(arguments, asking: .whenSealed) { try $0.setPolicy(nil) }
        case .advise: try PolicyCommand.advise(arguments)
        }
    }
}

/// What `policy` can do.
enum PolicyAction: String, CaseIterable {
    case `init`, show, check, remove, advise

    var options: [Option] {
        switch self {
        case .`init`: [PolicyOption.file, PolicyOption.force]
        case .show, .check: [.json]
        case .remove: []
        case .advise: [PolicyOption.need, PolicyOption.size, .json]
        }
    }
}

/// The options of `policy` alone.
enum PolicyOption {
    static let file = Option("--from", value: "FILE", .hostFile, "init: the policy is in FILE")
    static let force = Option("--force", "init: in place of the one that is there")
    static let need = Option(
        "--needed", value: "WHEN", .choice(PolicyNeed.allCases.map(\.rawValue)),
        "advise: whileUnlocked, whileOpen, afterFirstUnlock or always")
    static let size = Option("--size", value: "BYTES", .choice([]), "advise: of one value")
}

extension Arguments {
    fileprivate func policyAction() throws -> PolicyAction {
        let word = operands[1]
        guard let action = PolicyAction(rawValue: word) else {
            let all = PolicyAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure("'\(word)' is none of \(all)")
        }
        for option in PolicyAction.allCases.flatMap(\.options)
        where !action.options.contains(where: { $0.name == option.name }) {
            guard has(option) || value(option) != nil else { continue }
            throw failure("\(option.name) is not for \(word)")
        }
        let takesWord = action == .check || action == .advise
        guard (operand(2) != nil) == takesWord else {
            throw failure(takesWord ? "WHAT is missing" : "one word too many")
        }
        return action
    }
}

/// The actions of `policy`, one by one.
enum PolicyCommand {
    static func begin(_ arguments: Arguments) throws {
        var policy = ProtectionPolicy.template
        if let path = arguments.value(PolicyOption.file) {
            let text = try HostBody.read(path, atMost: 1 << 20, remedy: "a policy is shorter")
            do throws(ProtectionError) {
                policy = try ProtectionPolicy(json: text)
            } catch {
                throw Failure("\(path): \(error.message)", exitCode: .damaged)
            }
        }
        let next = policy
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            if !arguments.has(PolicyOption.force),
                try volume.kindIfPresent(of: ProtectionPolicy.path) != nil
            {
                throw Failure(
                    "there is a policy already", remedy: "change it, or begin anew with --force")
            }
            try volume.setPolicy(next)
        }
        Terminal.say("\(next.kinds.count) kinds; 'show' prints them, 'check PATH' asks")
    }

    static func show(_ arguments: Arguments) throws {
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            let policy = try present(volume)
            guard !arguments.has(.json) else {
                return try Output.bytes(policy.json.span)
            }
            for kind in policy.kinds {
                try Output.line(
                    HelpText.padded(kind.name, to: 18)
                        + HelpText.padded(kind.protectionClass.name, to: 38)
                        + kind.patterns.map(\.text).joined(separator: " "))
            }
            for waiver in policy.waivers {
                try Output.line(
                    HelpText.padded("(waiver)", to: 18)
                        + HelpText.padded(waiver.protectionClass.name, to: 38) + waiver.pattern.text
                )
            }
            try Output.line("weaker requests are \(policy.weakerRequests.done)")
        }
    }

    static func check(_ arguments: Arguments) throws {
        let path = arguments.operands[2]
        try VolumeAccess.with(arguments, asking: .whenSealed) { volume in
            let policy = try present(volume)
            let kind = policy.kind(at: path)
            let facts = [
                Fact("kind", .optional(kind?.name)),
                Fact("class", .optional(kind?.protectionClass.name)),
                Fact("while locked", .optional(kind?.classWhileLocked?.name)),
                Fact("weakest", .optional(policy.weakestClass(at: path)?.name)),
                Fact("reason", .optional(kind?.reason)),
            ]
            guard !arguments.has(.json) else {
                return try Output.line(JSONValue.object(facts.map { ($0.key, $0.value) }).text)
            }
            guard kind != nil else { return try Output.line("\(path): of no kind") }
            for line in facts.flatMap(\.lines) { try Output.line(line) }
        }
    }

    static func advise(_ arguments: Arguments) throws {
        guard let content = PolicyContent(rawValue: arguments.operands[2]) else {
            let all = PolicyContent.allCases.map(\.rawValue).joined(separator: ", ")
            throw arguments.failure("'\(arguments.operands[2])' is none of \(all)")
        }
        let need = try arguments.value(
            PolicyOption.need, choices: PolicyNeed.allCases.map(\.rawValue).joined(separator: ", ")
        ) { PolicyNeed(rawValue: $0) }
        let size = try arguments.value(PolicyOption.size, choices: "a number of bytes") {
            Int($0).flatMap { $0 >= 0 ? $0 : nil }
        }
        let advice = PolicyAdvice(for: content, need: need, byteCount: size)
        var facts: [Fact]
        switch advice.answer {
        case .file(let protectionClass):
            let means = ClassAdvice(protectionClass, hasPasscode: true)
            facts = [
                Fact("keep it in", .string("a file")),
                Fact("class", .string(protectionClass.name)), Fact("why", .string(advice.reason)),
                Fact("its key exists", .string(means.keyExists)),
                Fact("while locked", .string(means.whileLocked)),
                Fact("after a reboot", .string(means.afterReboot)),
            ]
        case .secret(let accessibility):
            facts = [
                Fact("keep it in", .string("the store for small secrets (seal secret)")),
                Fact("accessible", .string(accessibility.rawValue)),
                Fact("why", .string(advice.reason)),
            ]
        }
        guard !arguments.has(.json) else {
            return try Output.line(JSONValue.object(facts.map { ($0.key, $0.value) }).text)
        }
        for line in facts.flatMap(\.lines) { try Output.line(line) }
    }

    private static func present(_ volume: ProtectedVolume) throws -> ProtectionPolicy {
        guard let policy = try volume.policy else {
            throw Failure("the volume has no policy", remedy: "'init' gives it one")
        }
        return policy
    }
}

extension ProtectionPolicy.WeakerRequests {
    fileprivate var done: String { self == .refuse ? "refused" : "raised" }
}
