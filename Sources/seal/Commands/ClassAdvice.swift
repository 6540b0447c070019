import DataProtection

/// What a class means for work in the background and after a reboot, and what to choose instead.
struct ClassAdvice {
    private let protectionClass: ProtectionClass
    private let hasPasscode: Bool

    init(_ protectionClass: ProtectionClass, hasPasscode: Bool) {
        self.protectionClass = protectionClass
        self.hasPasscode = hasPasscode
    }

    /// When the file's key exists.
    var keyExists: String {
        switch protectionClass {
        case .complete: "only while the volume is unlocked"
        case .completeUnlessOpen: "while the volume is unlocked, and while the file stays open"
        case .completeUntilFirstUserAuthentication: "from the first unlock on, also while locked"
        case .none: "whenever the device key is there, before any unlock"
        }
    }

    /// What happens to work that goes on while the volume is locked.
    var whileLocked: String {
        switch protectionClass {
        case .complete: "fails: cannot be opened or created, and open handles stop until the unlock"
        case .completeUnlessOpen:
            "a new file can be created, an open one goes on; a closed one cannot be opened"
        case .completeUntilFirstUserAuthentication, .none: "works"
        }
    }

    /// What happens after a reboot, before anybody has unlocked.
    var afterReboot: String {
        switch protectionClass {
        case .complete, .completeUntilFirstUserAuthentication: "fails until the first unlock"
        case .completeUnlessOpen:
            "a new file can be created; an existing one cannot be opened until the first unlock"
        case .none: "works"
        }
    }

    /// What to choose when that does not fit.
    private var alternatives: [Alternative] {
        switch protectionClass {
        case .complete:
            [
                Alternative(
                    "read it in the background, while locked",
                    .completeUntilFirstUserAuthentication),
                Alternative("only create or finish it while locked", .completeUnlessOpen),
                Alternative("read it after a reboot, before the first unlock", .none),
            ]
        case .completeUnlessOpen:
            [
                Alternative("reopen it in the background", .completeUntilFirstUserAuthentication),
                Alternative("read it after a reboot, before the first unlock", .none),
            ]
        case .completeUntilFirstUserAuthentication:
            [
                Alternative("read it after a reboot, before the first unlock", .none),
                Alternative("keep it from a machine that is on but locked", .complete),
            ]
        case .none:
            [
                Alternative(
                    "keep it from whoever has the folder and the device key",
                    .completeUntilFirstUserAuthentication),
                Alternative("keep it from a machine that is on but locked, too", .complete),
            ]
        }
    }

    /// What another class costs.
    private func cost(of other: ProtectionClass) -> String {
        switch other {
        case .complete: "nothing reads or writes it while locked, nor before the first unlock"
        case .completeUnlessOpen: "its key is in memory while locked, as long as the file is open"
        case .completeUntilFirstUserAuthentication:
            other.isStricter(than: protectionClass)
                ? "nothing reads it after a reboot, until the first unlock"
                : "its key is in memory from the first unlock on, also while locked"
        case .none: "the folder and the device key are enough to read it, without a passcode"
        }
    }

    /// The advice on one file, for `info`.
    func facts(isSealed: Bool, _ volumePath: String, _ path: String) -> [Fact] {
        guard hasPasscode else {
            return [Fact("why", .string("the volume has no passcode, so it never locks"))]
        }
        let why =
            isSealed
            ? "sealed: its key exists \(keyExists)" : "its key exists \(keyExists)"
        var facts = [Fact("why", .string(why))]
        if isSealed {
            facts.append(
                Fact(
                    "readable",
                    .string(
                        "after the unlock, and each run of seal begins before it: "
                            + "give --passcode-file FILE")))
        }
        facts.append(Fact("while locked", .string(whileLocked)))
        facts.append(Fact("after a reboot", .string(afterReboot)))
        return facts + instead(volumePath, path)
    }

    /// The other classes, for people and for programs.
    private func instead(_ volumePath: String, _ path: String) -> [Fact] {
        var rows: [Fact.Row] = []
        var sentences: [JSONValue] = []
        var objects: [JSONValue] = []
        for alternative in alternatives {
            let command = ShellWord.seal(
                "class", [volumePath, path, alternative.protectionClass.name])
            let cost = cost(of: alternative.protectionClass)
            let sentence = "to \(alternative.need): \(command)"
            rows += [("instead", sentence), ("  which costs", cost)]
            sentences.append(.string(sentence))
            objects.append(
                .object([
                    ("need", .string(alternative.need)),
                    ("class", .string(alternative.protectionClass.name)),
                    ("cost", .string(cost)), ("command", .string(command)),
                ]))
        }
        return [
            Fact("instead", .array(sentences), rows: rows),
            Fact("alternatives", .array(objects), rows: []),
        ]
    }
}

/// Another class, for a need that the present one does not serve.
private struct Alternative {
    let need: String
    let protectionClass: ProtectionClass

    init(_ need: String, _ protectionClass: ProtectionClass) {
        self.need = need
        self.protectionClass = protectionClass
    }
}
