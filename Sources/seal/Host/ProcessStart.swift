import Glibc

/// What a process is given at its start, put in order before anything relies on it.
enum ProcessStart {
    /// Prepares the process. Must be called before any file is opened.
    static func prepare() {
        openStandardDescriptors()
        // A write to a closed pipe, or beyond the limit on a file's size, becomes an error of that
        // write, so that it is reported and cleaned up after.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Opens what was closed of standard input, output and error: the next file that is opened
    /// would take its number, and would be read or written in its place.
    ///
    /// Each is opened for the other direction, so that its use fails with `EBADF`: a closed input
    /// is no empty one, and a result that goes nowhere is a failure.
    private static func openStandardDescriptors() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(number, F_GETFD) < 0 {
            let flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // The lowest free number is this one.
            guard unsafe open("/dev/null", flags) == number else { exit(ExitCode.failed.rawValue) }
        }
    }

    /// The words of the command line, without the program's name.
    ///
    /// - Throws: a usage failure when one is not UTF-8. Swift would repair it, and two names of
    ///   files would become one.
    static func words() throws -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let start = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let word = unsafe String(validatingCString: start) else {
                let repaired = unsafe String(cString: start)
                throw Failure(
                    "argument \(index) is not valid UTF-8: '\(repaired)'",
                    remedy: "names are text in UTF-8: give the file such a name",
                    exitCode: .usage)
            }
            words.append(word)
        }
        return words
    }

    /// An environment variable; `nil` when it is not set or empty.
    ///
    /// - Throws: a usage failure when it is not UTF-8.
    static func environment(_ name: String) throws -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        guard let text = unsafe String(validatingCString: value) else {
            throw Failure(
                "the environment variable \(name) is not valid UTF-8",
                remedy: "names are text in UTF-8: set it to another", exitCode: .usage)
        }
        return text.isEmpty ? nil : text
    }
}
