import Glibc

/// Starts the program that keeps a volume mounted.
enum AgentProcess {
    /// Where it may be: beside this program, or where a package puts what people do not call.
    static var places: [String] {
        let own = HostNames.resolved("/proc/self/exe") ?? ""
        let folder = own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return ["\(folder)/seal-agent", "\(folder)/../libexec/seal/seal-agent"]
    }

    /// Starts it in a session of its own, so that it outlives the terminal. See `posix_spawn(3)`.
    ///
    /// - Parameter input: what it reads; at most 64 KiB, so that nobody waits.
    /// - Returns: what it writes to standard output, up to its end.
    static func start(
        _ path: String, _ words: [String], input: borrowing [UInt8]
    ) throws(HostFailure) -> [UInt8] {
        let inputs = try pipe(path)
        let outputs = try pipe(path)
        defer { _ = close(outputs.reading) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, inputs.reading, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, outputs.writing, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which Swift's Glibc leaves out.
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var number: pid_t = 0
        let code = unsafe posix_spawn(
            &number, path, &actions, &attributes, &arguments, environ)
        _ = close(inputs.reading)
        _ = close(outputs.writing)
        _ = unsafe write(inputs.writing, input, input.count)
        _ = close(inputs.writing)
        guard code == 0 else { throw HostFailure(code: code, place: path) }
        return readAll(outputs.reading)
    }

    /// Becomes that program, with an input that holds what it needs. See `execv(3)`.
    static func become(
        _ path: String, _ words: [String], input: borrowing [UInt8]
    ) throws(HostFailure) -> Never {
        let inputs = try pipe(path)
        _ = unsafe write(inputs.writing, input, input.count)
        _ = close(inputs.writing)
        _ = dup2(inputs.reading, STDIN_FILENO)
        var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &arguments)
        throw .last(path)
    }

    private static func readAll(_ number: Int32) -> [UInt8] {
        var collected: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(number, &buffer, buffer.count)
            if count < 0, errno == EINTR, !Interruption.isPending { continue }
            guard count > 0 else { return collected }
            collected += buffer[..<count]
        }
    }

    private static func pipe(
        _ place: String
    ) throws(HostFailure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw .last(place) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// The number of a user; `nil` for a name that nobody has. See `getpwnam(3)`.
    static func user(named name: String) -> UInt32? {
        guard let entry = unsafe getpwnam(name) else { return nil }
        return unsafe entry.pointee.pw_uid
    }

    /// Reads what PAM gives: the password without an end, or up to a NUL or newline.
    ///
    /// - Returns: an array that never grew; the caller wipes it.
    static func readPassword() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1025)
        var count = 0
        while count < bytes.count {
            let start = count
            let room = bytes.count - start
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(STDIN_FILENO, $0.baseAddress! + start, room)
            }
            guard got > 0 else { break }
            count += got
        }
        let end = bytes[..<count].firstIndex { $0 == 0 || $0 == UInt8(ascii: "\n") } ?? count
        for index in end..<bytes.count { bytes[index] = 0 }
        bytes.removeLast(bytes.count - end)
        return bytes
    }
}
