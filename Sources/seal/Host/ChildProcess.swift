import Glibc

/// A program that runs beside this one. Its standard input and standard error are pipes, which are
/// served by `exchange`, so that neither of the two can keep the other waiting for ever.
final class ChildProcess {
    /// How a program ended.
    enum Ending: Sendable, Hashable {
        /// It ended itself, with this status.
        case exit(Int32)
        /// A signal ended it.
        case signal(Int32)
    }

    /// How much of its standard error is kept, in bytes; the rest is read and forgotten.
    static let keptByteCount = 4096

    /// The beginning of what it wrote to standard error.
    private(set) var errorBytes: [UInt8] = []
    private let number: pid_t
    private let name: String
    private var input: HostFile?
    private var errors: HostFile?
    private var written = 0

    /// Starts a program, in a process group of its own, without a shell. See `posix_spawn(3)`.
    ///
    /// - Parameters:
    ///   - program: a path; a name without a slash is searched in `PATH`.
    ///   - words: its arguments.
    ///   - environment: what it gets beside this program's own environment.
    ///   - output: what becomes its standard output.
    /// - Throws: when it cannot be started.
    init(
        _ program: String, _ words: [String], environment: [(name: String, value: String)],
        output: HostFile
    ) throws(HostFailure) {
        let (inputEnd, input) = try Self.pipe(program)
        let (errors, errorEnd) = try Self.pipe(program)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, inputEnd.number, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errorEnd.number, STDERR_FILENO)
        var attributes = Self.attributes()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var arguments = unsafe ([program] + words).map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var variables = unsafe Self.variables(environment).map { unsafe strdup($0) } + [nil]
        defer { unsafe variables.forEach { unsafe free($0) } }
        var number: pid_t = 0
        let code = unsafe posix_spawnp(
            &number, program, &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw HostFailure(code: code, place: program) }
        self.number = number
        name = program
        self.input = input
        self.errors = errors
    }

    /// Its signals are as a shell would leave them, whatever this process and its threads do.
    private static func attributes() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var ordinary = none
        for number in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&ordinary, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &ordinary)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }

    /// This program's environment with other variables in it.
    private static func variables(_ added: [(name: String, value: String)]) -> [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let text = unsafe next.pointee {
            variables.append(unsafe String(cString: text))
            unsafe next += 1
        }
        variables.removeAll { variable in
            added.contains { variable.hasPrefix("\($0.name)=") }
        }
        return variables + added.map { "\($0.name)=\($0.value)" }
    }

    private static func pipe(_ place: String) throws(HostFailure) -> (HostFile, HostFile) {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw .last(place) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (HostFile(owning: ends[0], place), HostFile(owning: ends[1], place))
    }

    /// Writes what the program takes of its input, reads what it says, and waits at most a time for
    /// either.
    ///
    /// - Parameters:
    ///   - body: its whole input, the same at each call.
    ///   - milliseconds: how long to wait at most.
    func exchange(_ body: borrowing [UInt8], atMost milliseconds: Int32) {
        if input != nil, written == body.count { input = nil }
        var wanted = [
            pollfd(fd: input?.number ?? -1, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: errors?.number ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        // Without both there is nothing to wait for but the end, which shows itself by no event.
        let patience = errors == nil && input == nil ? min(milliseconds, 5) : milliseconds
        guard unsafe poll(&wanted, 2, patience) > 0 else { return }
        if wanted[0].revents != 0 { feed(body) }
        if wanted[1].revents != 0 { listen() }
    }

    private func feed(_ body: borrowing [UInt8]) {
        guard let file = input else { return }
        // The pipe has room for this much, so the write does not wait: see `pipe(7)`.
        let count = min(body.count - written, Int(PIPE_BUF))
        let start = written
        let done = unsafe body.withUnsafeBytes { bytes in
            unsafe write(file.number, bytes.baseAddress! + start, count)
        }
        if done > 0 { written += done }
        // A program may leave its input unread.
        if done < 0, errno != EINTR, errno != EAGAIN { input = nil }
    }

    private func listen() {
        guard let file = errors else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(file.number, &buffer, buffer.count)
        if count > 0 {
            let room = Self.keptByteCount - errorBytes.count
            errorBytes += buffer[..<min(count, max(0, room))]
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            errors = nil
        }
    }

    /// Reads what is there still, after the end.
    func finishListening() {
        input = nil
        while let file = errors {
            var wanted = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, 0) > 0, errorBytes.count < Self.keptByteCount else {
                break
            }
            listen()
        }
    }

    /// How the program ended; `nil` while it runs. See `waitpid(2)`.
    func ending() -> Ending? {
        var status: Int32 = 0
        guard unsafe waitpid(number, &status, WNOHANG) == number else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    }

    /// Sends a signal to the program and to what it has started. See `kill(2)`.
    func kill(_ signal: Int32) { _ = Glibc.kill(-number, signal) }
}
