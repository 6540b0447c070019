import DataProtection

extension Command {
    static let erase = Command(
        "erase", "destroy a volume's keys: nothing in it can be read again",
        operands: [.volume],
        options: [EraseOption.yes],
        details: """
            Asks for the volume's folder name before it does. Overwrites and removes both copies of
            the keybag; what is left in the folder is noise, and can be deleted. A copy of the
            folder made before still opens.
            """,
        examples: ["seal erase vault"],
        run: runErase)

    private static func runErase(_ arguments: Arguments) throws {
        let path = arguments.volumePath
        guard try HostNames.status(path) != nil else { throw VolumeAccess.missing(path) }
        if !arguments.has(EraseOption.yes) { try confirm(path) }
        try ProtectedVolume.erase(at: path)
        Terminal.say("the volume in \(path) was erased")
    }

    private static func confirm(_ path: String) throws {
        guard Terminal.canAsk else {
            throw Failure(
                "there is no terminal to ask whether this is meant", remedy: "give --yes",
                exitCode: .usage)
        }
        let name = lastName(of: path)
        let typed = try Terminal.ask(
            "This destroys everything in \(path). Type '\(name)' to go on", isSecret: false)
        guard typed == Array(name.utf8) else { throw Failure("not erased") }
    }
}

/// The option of `erase` alone.
enum EraseOption {
    static let yes = Option("--yes", "do not ask")
}
