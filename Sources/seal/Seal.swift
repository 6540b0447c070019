import DataProtection
import Glibc

/// The program: finds the command, runs it, says what went wrong.
@main
struct Seal {
    /// The version of the program.
    static let version = "0.1.0"

    static func main() {
        ProcessStart.prepare()
        exit(run().rawValue)
    }

    /// Runs the command line and reports on standard error.
    static func run() -> ExitCode {
        do {
            try dispatch(try ProcessStart.words())
            return .done
        } catch is OutputClosed {
            return .failed
        } catch is Interrupted {
            Interruption.finish()
            return .failed
        } catch let reported as Reported {
            return reported.exitCode
        } catch {
            // A call that a signal broke off.
            if let error = error as? HostFailure, error.code == EINTR { Interruption.finish() }
            return report(Failure(any: error))
        }
    }

    private static func dispatch(_ words: [String]) throws {
        guard let name = words.first else {
            throw Failure.usage("no command given")
        }
        switch name {
        case "--version":
            if words.count > 1 { throw Failure.usage("one word too many: '\(words[1])'") }
            return try Output.line("seal \(version)")
        case "--help", "-h":
            let rest = Array(words.dropFirst())
            return try Command.help.run(try Arguments.parse(rest, of: .help))
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
        Terminal.report(failure)
        return failure.exitCode
    }
}
