import DataProtection
import Glibc

/// The program: finds the command, runs it, says what went wrong.
@main
struct Seal {
    /// The version of the program.
    static let version = "0.1.0"

    static func main() {
        ProcessCalls.ignoreBrokenPipes()
        let code = run(Array(CommandLine.arguments.dropFirst()))
        exit(code.rawValue)
    }

    /// Runs one command line and reports on standard error.
    static func run(_ words: [String]) -> ExitCode {
        do {
            try dispatch(words)
            return .done
        } catch is OutputClosed {
            return .failed
        } catch is Interrupted {
            Interruption.finish()
            return .failed
        } catch let failure as Failure {
            return report(failure)
        } catch let error as ProtectionError {
            return report(Failure(error))
        } catch let error as HostFailure {
            return report(Failure(error.message))
        } catch {
            return report(Failure("\(error)"))
        }
    }

    private static func dispatch(_ words: [String]) throws {
        guard let name = words.first else {
            throw Failure.usage("no command given")
        }
        switch name {
        case "--version": return try Output.line("seal \(version)")
        case "--help", "-h": return try Command.help.run(Arguments(operands: []))
        default: break
        }
        guard let command = Command.named(name) else {
            throw Failure.usage("unknown command '\(name)'")
        }
        let rest = Array(words.dropFirst())
        if Arguments.asksForHelp(rest) {
            return try Output.text(HelpText.text(of: command))
        }
        try command.run(try Arguments.parse(rest, of: command))
    }

    private static func report(_ failure: Failure) -> ExitCode {
        Terminal.say(failure.message)
        if !failure.remedy.isEmpty { Terminal.hint(failure.remedy) }
        return failure.exitCode
    }
}
