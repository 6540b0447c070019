internal import Glibc

/// A program could not be started.
struct ChildFailure: Error {
    /// The error number, as in `errno(3)`.
    let code: Int32
}

/// A program that the agent has started. Its standard input and output are pipes, or nothing; its
/// standard error is the agent's.
final class ChildProgram: Sendable {
    private let number: pid_t
    private let input: Int32
    private let output: Int32

    /// Starts a program in a process group of its own, without a shell. See `posix_spawn(3)`.
    ///
    /// - Parameters:
    ///   - program: a path; a name without a slash is searched in `PATH`.
    ///   - environment: what it gets beside the agent's own environment.
    ///   - isMute: whether nobody talks with it: it then reads nothing, and what it prints is lost.
    init(
        _ program: String, _ words: [String], environment: [(name: String, value: String)] = [],
        isMute: Bool = false
    ) throws(ChildFailure) {
        var inputs: [Int32] = [-1, -1]
        var outputs: [Int32] = [-1, -1]
        guard unsafe pipe(&inputs) == 0, unsafe pipe(&outputs) == 0 else {
            throw ChildFailure(code: errno)
        }
        for end in inputs + outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            _ = close(inputs[0])
            _ = close(outputs[1])
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        // A pipe that nobody reads or fills would have it wait for ever.
        for number in isMute ? [STDIN_FILENO, STDOUT_FILENO] : [] {
            unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var attributes = Self.attributes()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var arguments = unsafe ([program] + words).map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var variables = unsafe Self.variables(environment).map { unsafe strdup($0) } + [nil]
        defer { unsafe variables.forEach { unsafe free($0) } }
        var number: pid_t = 0
        let code = unsafe posix_spawnp(
            &number, program, &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            _ = close(inputs[1])
            _ = close(outputs[0])
            throw ChildFailure(code: code)
        }
        self.number = number
        input = inputs[1]
        output = outputs[0]
    }

    deinit {
        _ = close(input)
        _ = close(output)
    }

    /// Its signals are as a shell would leave them, whatever this process and its threads do.
    private static func attributes() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var ordinary = none
        for number in [SIGPIPE, SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&ordinary, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &ordinary)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }

    /// The agent's environment with other variables in it.
    private static func variables(_ added: [(name: String, value: String)]) -> [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let text = unsafe next.pointee {
            variables.append(unsafe String(cString: text))
            unsafe next += 1
        }
        variables.removeAll { variable in added.contains { variable.hasPrefix("\($0.name)=") } }
        return variables + added.map { "\($0.name)=\($0.value)" }
    }

    /// Writes to its standard input; a program that has ended reads nothing.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(input, bytes, bytes.count)
    }

    /// Reads a line of its standard output.
    ///
    /// - Returns: the line without its newline, in an array that never grew: the caller wipes it.
    ///   `nil` at the end, and for a line of more than 4096 bytes.
    func readLine() -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(4096)
        var byte: [UInt8] = [0]
        while line.count < 4096 {
            let count = unsafe read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : line }
            if byte[0] == UInt8(ascii: "\n") {
                byte[0] = 0
                return line
            }
            line.append(byte[0])
        }
        return nil
    }

    /// Asks the program, and what it has started, to end.
    func end() { _ = kill(-number, SIGTERM) }

    /// Waits a second for its end, and then ends it; after another one also a program that does not
    /// want to.
    func waitOrEnd() {
        if hasEnded() { return }
        end()
        if hasEnded() { return }
        _ = kill(-number, SIGKILL)
        wait()
    }

    private func hasEnded() -> Bool {
        var status: Int32 = 0
        for _ in 0..<100 {
            if unsafe waitpid(number, &status, WNOHANG) != 0 { return true }
            usleep(10_000)
        }
        return false
    }

    /// Waits for its end. See `waitpid(2)`.
    func wait() {
        var status: Int32 = 0
        while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
    }
}
