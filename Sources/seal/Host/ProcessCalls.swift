import Glibc

/// System calls on processes, and what else the C library knows.
enum ProcessCalls {
    /// The C library's sentence for an error number. See `strerror(3)`.
    static func sentence(for code: Int32) -> String { unsafe String(cString: strerror(code)) }

    /// Whether an environment variable is set, and not empty.
    static func hasEnvironment(_ name: String) -> Bool {
        guard let value = unsafe getenv(name) else { return false }
        return unsafe value.pointee != 0
    }

    /// Overwrites bytes in a way that the compiler keeps. See `explicit_bzero(3)`.
    static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe explicit_bzero(start, buffer.count)
        }
    }

    /// Seconds since some moment in the past, for measuring. See `clock_gettime(2)`.
    static func seconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Runs a program and collects its standard output. See `posix_spawn(3)`.
    ///
    /// - Returns: the output, and the exit code; 128 and more after a signal.
    static func run(_ program: String, _ words: [String]) throws(HostFailure) -> ([UInt8], Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw .last(program) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let output = HostFile(owning: ends[0], program)
        var input: HostFile? = HostFile(owning: ends[1], program)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var arguments = unsafe ([program] + words).map { unsafe strdup($0) }
        defer { unsafe arguments.forEach { unsafe free($0) } }
        unsafe arguments.append(nil)
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, program, &actions, nil, &arguments, environ)
        guard code == 0 else { throw HostFailure(code: code, place: program) }
        input = nil
        _ = input
        var collected: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var span = buffer.mutableSpan
            let count: Int
            do throws(HostFailure) {
                count = try output.fill(&span)
            } catch {
                // A signal to this process alone: what it has started must not go on without it.
                _ = kill(process, SIGTERM)
                var status: Int32 = 0
                while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
                throw error
            }
            collected += buffer[..<count]
            if count < buffer.count { break }
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return (collected, signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }
}
