extension Command {
    static let help = Command(
        "help", "explain a command; print the manual page or completions",
        operands: [Operand("COMMAND", .command, isOptional: true)],
        options: [HelpOption.manual, HelpOption.completion],
        details: """
            The manual page goes to share/man/man1/seal.1. The completions go to
            share/bash-completion/completions/seal, share/zsh/site-functions/_seal or
            share/fish/vendor_completions.d/seal.fish; or try them at once, as shown below. They
            also complete what is in a volume, where the device key is at hand and names are not
            private: nothing is asked, and a volume that is in use stays so.
            """,
        examples: [
            "seal help put", "seal help --man | man -l -",
            "eval \"$(seal help --completion bash)\"", "eval \"$(seal help --completion zsh)\"",
            "seal help --completion fish | source",
        ],
        run: runHelp)

    private static func runHelp(_ arguments: Arguments) throws {
        let shell = try arguments.value(
            HelpOption.completion, choices: "bash, zsh or fish", Shell.init(rawValue:))
        if let shell { return try Output.text(shell.script) }
        if arguments.has(HelpOption.manual) { return try Output.text(ManualPage.text) }
        guard let name = arguments.operand(0) else {
            return try Output.text(HelpText.overview)
        }
        guard let command = Command.named(name) else {
            throw Failure.usage("unknown command '\(name)'")
        }
        try Output.text(HelpText.text(of: command))
    }
}

/// The options of `help` alone.
enum HelpOption {
    static let manual = Option("--man", "print the manual page")
    static let completion = Option(
        "--completion", value: "SHELL", .choice(Shell.allCases.map(\.rawValue)),
        "print what makes bash, zsh or fish complete words")
}
