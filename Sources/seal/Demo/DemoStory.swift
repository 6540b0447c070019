import DataProtection

/// Tells a run of the demonstration to somebody who sees the classes for the first time.
struct DemoStory {
    let run: DemoRun
    let place: DemoPlace
    let colours: DemoColours

    /// The story, at most 60 lines.
    func text() throws -> String {
        try [
            """
            A volume is a folder on this disk, made a moment ago. Every file in it has a key of
            its own, and a protection class that decides when that key exists.

            """,
            scene(
                "1 boot", "A new process has the device key. Nobody has typed the passcode.",
                .beforeFirstUnlock),
            scene("2 unlock", "The passcode was typed.", .unlocked),
            scene("3 lock", "The screen was locked. The process goes on.", .locked),
            hostSight(),
            summary(),
            matrix(),
        ].joined(separator: "\n")
    }

    private func scene(_ title: String, _ sentence: String, _ state: LockState) -> String {
        var lines = [colours.bold(HelpText.padded(title, to: 10)) + sentence]
        for protectionClass in ProtectionClass.allCases.reversed() {
            let read = run.result(protectionClass, state, .read)
            let create = run.result(protectionClass, state, .create)
            lines.append(
                "  \(HelpText.padded(protectionClass.name, to: 38))"
                    + "read \(padded(read, to: 7))create \(colours.outcome(create))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func padded(_ result: String, to width: Int) -> String {
        colours.outcome(result) + String(repeating: " ", count: max(1, width - result.count))
    }

    /// A file as whoever steals the disk sees it.
    private func hostSight() throws -> String {
        let sight = try HostSight(volumePath: place.volumePath)
        return """
            \(colours.bold("On the disk")) one of these files is
              \(sight.name)
              \(sight.byteCount) bytes; where its text is: \(sight.bytes) …

            """
    }

    /// The table that every introduction to the classes prints, filled in from what happened.
    private func summary() -> String {
        var lines = [row("class", "readable while locked?", "created while locked?")]
        lines.append(row(line(36), line(29), line(21)))
        for protectionClass in ProtectionClass.allCases.reversed() {
            let isDefault = protectionClass == run.defaultClass
            lines.append(
                row(
                    protectionClass.name, readable(protectionClass),
                    creatable(protectionClass) + (isDefault ? "  (the default)" : "")))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ name: String, _ read: String, _ create: String) -> String {
        HelpText.padded(name, to: 38) + HelpText.padded(read, to: 31) + create
    }

    private func line(_ count: Int) -> String { String(repeating: "-", count: count) }

    private func readable(_ protectionClass: ProtectionClass) -> String {
        if run.result(protectionClass, .locked, .read) == "ok" {
            let isAlways = run.result(protectionClass, .beforeFirstUnlock, .read) == "ok"
            return isAlways ? "yes" : "yes, after the first unlock"
        }
        let isOpenUsable = run.result(protectionClass, .locked, .readOpenHandle) == "ok"
        return isOpenUsable ? "only if it was already open" : "no"
    }

    private func creatable(_ protectionClass: ProtectionClass) -> String {
        run.result(protectionClass, .locked, .create) == "ok" ? "yes" : "no"
    }

    /// Everything that was tried.
    private func matrix() -> String {
        let head = HelpText.padded("Everything", to: 17)
        let states = ["before first unlock", "unlocked", "locked"]
        var lines = [
            trimmed(colours.bold(head) + states.map { HelpText.padded($0, to: 22) }.joined()),
            trimmed(
                HelpText.padded("that was tried", to: 17)
                    + states.map { _ in HelpText.padded("D    C    B    A", to: 22) }.joined()),
        ]
        for operation in DemoOperation.allCases {
            var line = HelpText.padded(operation.rawValue, to: 17)
            for state in DemoTrial.states {
                for protectionClass in ProtectionClass.allCases.reversed() {
                    let result = run.result(protectionClass, state, operation)
                    line += padded(shortened(result), to: protectionClass == .complete ? 7 : 5)
                }
            }
            lines.append(trimmed(line))
        }
        lines.append("A to D: complete to none; no: EPERM, sealed; -: cannot be tried")
        return lines.joined(separator: "\n") + "\n"
    }

    private func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    private func shortened(_ result: String) -> String {
        switch result {
        case "EPERM": "no"
        case DemoRow.notApplicable: "-"
        default: result
        }
    }
}

/// Colours for a terminal.
struct DemoColours {
    /// Whether there are any.
    let isOn: Bool

    /// Green for what was done, red for what was refused.
    func outcome(_ result: String) -> String {
        switch result {
        case "ok": paint("32", result)
        case "-", DemoRow.notApplicable: result
        default: paint("31", result)
        }
    }

    /// A heading.
    func bold(_ text: String) -> String { paint("1", text) }

    private func paint(_ code: String, _ text: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
