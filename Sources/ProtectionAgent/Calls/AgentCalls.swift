internal import CSystemd
internal import Glibc

/// System calls of the agent's process.
enum AgentCalls {
    /// Prepares the process: nothing that it holds open keeps another mount busy, and a client that
    /// went away ends no one.
    static func prepare() {
        // What a caller left open would stay open with the mount, and somebody waits for its end.
        closefrom(3)
        _ = unsafe chdir("/")
        for number in [SIGPIPE, SIGTERM, SIGINT, SIGHUP] { _ = signal(number, SIG_IGN) }
        umask(0o077)
    }

    /// The signals that end the agent.
    static let endingSignals = [SIGTERM, SIGINT, SIGHUP]

    /// Reads standard input to its end, at most so much; the buffer never grows.
    static func readInput(atMost limit: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let start = count
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(STDIN_FILENO, $0.baseAddress! + start, limit - start)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        bytes.removeLast(limit - count)
        return bytes
    }

    /// Writes to standard output, or to standard error.
    ///
    /// - Returns: whether it could be written.
    @discardableResult
    static func write(_ bytes: [UInt8], toError: Bool = false) -> Bool {
        unsafe Glibc.write(toError ? STDERR_FILENO : STDOUT_FILENO, bytes, bytes.count)
            == bytes.count
    }

    /// Lets go of the terminal and of whoever waits for standard output to end.
    static func leaveStandardStreams() {
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return }
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { _ = dup2(nothing, number) }
        _ = close(nothing)
    }

    /// Tells systemd that the volume is mounted, or is about to be not. See `sd_notify(3)`.
    static func notifySystemd(_ state: String) { _ = unsafe sd_notify(0, state) }

    /// Whether a program is in `PATH`.
    static func isInPath(_ program: String) -> Bool {
        guard let path = unsafe getenv("PATH") else { return false }
        return unsafe String(cString: path).split(separator: ":").contains {
            unsafe access("\($0)/\(program)", X_OK) == 0
        }
    }

    /// Seconds since some moment in the past, also those spent asleep.
    static func seconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
