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

    /// What to choose when that does not fit: the need, and the class.
    var alternatives: [(need: String, protectionClass: ProtectionClass)] {
        switch protectionClass {
        case .complete:
            [
                ("read it in the background, while locked", .completeUntilFirstUserAuthentication),
                ("only create or finish it while locked", .completeUnlessOpen),
                ("read it after a reboot, before the first unlock", .none),
            ]
        case .completeUnlessOpen:
            [
                ("reopen it in the background", .completeUntilFirstUserAuthentication),
                ("read it after a reboot, before the first unlock", .none),
            ]
        case .completeUntilFirstUserAuthentication:
            [
                ("read it after a reboot, before the first unlock", .none),
                ("keep it from a machine that is on but locked", .complete),
            ]
        case .none:
            [("keep it from whoever has the folder and the device key", .complete)]
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
                Fact("readable", .string("after the unlock: give --passcode-file FILE")))
        }
        facts.append(Fact("while locked", .string(whileLocked)))
        facts.append(Fact("after a reboot", .string(afterReboot)))
        let instead = alternatives.map { alternative in
            let command = ShellWord.seal(
                "class", [volumePath, path, alternative.protectionClass.name])
            return JSONValue.string("to \(alternative.need): \(command)")
        }
        facts.append(Fact("instead", .array(instead)))
        return facts
    }
}
