import DataProtection

/// Why a command stops, as the user is told.
struct Failure: Error {
    /// One sentence, lower case, without a final stop.
    let message: String
    /// What the reader can do; empty when nothing can be done.
    let remedy: String
    /// What the program returns.
    let exitCode: ExitCode

    init(_ message: String, remedy: String = "", exitCode: ExitCode = .failed) {
        self.message = message
        self.remedy = remedy
        self.exitCode = exitCode
    }

    /// A command line that is not understood.
    ///
    /// - Parameters:
    ///   - message: what is wrong with it.
    ///   - command: the command whose help says how it should be.
    static func usage(_ message: String, command: String? = nil) -> Failure {
        let help = command.map { "seal help \($0)" } ?? "seal help"
        return Failure(message, remedy: "see '\(help)'", exitCode: .usage)
    }
}

extension Failure {
    /// The sentence for an error of the engine.
    init(_ error: ProtectionError) {
        let place = error.place.isEmpty ? "" : "\(error.place): "
        self.init(
            place + error.message, remedy: error.remedy, exitCode: ExitCode(error.code))
    }
}

extension Failure {
    /// The sentence for any error.
    init(any error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ProtectionError: self.init(error)
        case let error as HostFailure: self.init(error.message)
        default: self.init("\(error)")
        }
    }
}

/// What went wrong was said already, as it was found.
struct Reported: Error {
    /// What the program returns.
    let exitCode: ExitCode
}

/// Nobody reads the output any more: the program ends without a word.
struct OutputClosed: Error {}

/// A signal asked the program to end. It cleans up first, then dies of the signal.
struct Interrupted: Error {}
