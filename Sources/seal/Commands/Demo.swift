import DataProtection
import FoundationEssentials

extension Command {
    static let demo = Command(
        "demo", "show the classes at work on a real volume",
        operands: [],
        options: [.json, DemoOption.keep],
        details: """
            Makes a volume in a temporary folder, does everything to files of every class before the
            first unlock (in a new process), unlocked and locked, and prints what happened.
            """,
        examples: ["seal demo", "seal demo --json", "seal demo --keep example"],
        run: runDemo)

    /// The new process of the demonstration: prints its rows as JSON.
    static let demoBeforeFirstUnlock = Command(
        "demo-before-first-unlock", "do the demonstration's part before the first unlock",
        operands: [.volume, Operand("DEVICEKEY", .hostFile)], isHidden: true,
        run: { arguments in
            let place = DemoPlace(
                volumePath: arguments.volumePath, deviceKeyPath: arguments.operands[1])
            let rows = try place.tryBeforeFirstUnlock(accessRules: AccessRules())
            try Output.line(JSONValue.array(rows.map(\.json)).lines)
        })

    private static func runDemo(_ arguments: Arguments) throws {
        if let kept = arguments.value(DemoOption.keep) {
            try demonstrate(in: kept, arguments)
            Terminal.say("kept the volume: its passcode is \(DemoRun.passcode)")
            Terminal.hint(
                ShellWord.seal(
                    "ls", options: ["--device-key", "\(kept)/device.key"], ["\(kept)/volume"]))
            return
        }
        _ = try ProcessStart.environment("TMPDIR")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("seal-demo-\(UUID().uuidString)").path
        Interruption.hold()
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            Interruption.finish()
        }
        try demonstrate(in: folder, arguments)
    }

    private static func demonstrate(in folder: String, _ arguments: Arguments) throws {
        let place = DemoPlace(
            volumePath: "\(folder)/volume", deviceKeyPath: "\(folder)/device.key")
        let run = try DemoRun(
            at: place.volumePath, deviceKeyPath: place.deviceKeyPath, accessRules: AccessRules(),
            boot: bootInNewProcess)
        if arguments.has(.json) {
            return try Output.line(JSONValue.array(run.rows.map(\.json)).lines)
        }
        let colours = DemoColours(isOn: Terminal.showsColours)
        try Output.text(try DemoStory(run: run, place: place, colours: colours).text())
    }

    private static func bootInNewProcess(_ place: DemoPlace) throws -> [DemoRow] {
        let (output, code) = try ProcessCalls.run(
            "/proc/self/exe",
            [demoBeforeFirstUnlock.name, "--", place.volumePath, place.deviceKeyPath])
        guard code == 0, let rows = DemoRow.rows(json: output) else {
            throw Failure("the process that boots the volume ended with \(code)")
        }
        return rows
    }
}

/// The option of `demo` alone.
enum DemoOption {
    static let keep = Option(
        "--keep", value: "DIR", .hostFolder, "make the volume in DIR and leave it there")
}
