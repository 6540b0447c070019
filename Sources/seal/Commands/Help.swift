extension Command {
    static let help = Command(
        "help", "explain a command",
        operands: [Operand("COMMAND", isOptional: true)],
        examples: ["seal help put"],
        run: { arguments in
            guard let name = arguments.operand(0) else {
                return try Output.text(HelpText.overview)
            }
            guard let command = Command.named(name) else {
                throw Failure.usage("unknown command '\(name)'")
            }
            try Output.text(HelpText.text(of: command))
        })
}
