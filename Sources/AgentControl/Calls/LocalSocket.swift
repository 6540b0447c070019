internal import Glibc

/// A call on a socket failed.
package struct SocketFailure: Error {
    /// The error number, as in `errno(3)`.
    package let code: Int32

    /// Whether there was nothing to read or no room to write, and there may be later.
    package var isEarly: Bool { code == EAGAIN }

    /// Whether the other side has gone.
    var isEnd: Bool { code == EPIPE || code == ECONNRESET }

    static var last: SocketFailure { SocketFailure(code: errno) }
}

/// A Unix socket, closed when its owner goes.
package final class LocalSocket: Sendable {
    /// The descriptor.
    package let number: Int32

    /// `O_PATH`, which Swift's Glibc leaves out.
    private static let pathOnly: Int32 = 0o10000000

    init(owning number: Int32) { self.number = number }

    deinit { _ = close(number) }

    /// Connects to a socket in a folder, whatever the length of its path. See `unix(7)`.
    package static func connect(_ folder: String, _ name: String) throws(SocketFailure)
        -> LocalSocket
    {
        try unsafe open(folder, name) { number, address, length in
            unsafe Glibc.connect(number, address, length) == 0
        }
    }

    /// Makes a socket with mode 0600 in a folder, in the place of one that a dead process left.
    package static func listen(_ folder: String, _ name: String) throws(SocketFailure)
        -> LocalSocket
    {
        _ = unsafe unlink("\(folder)/\(name)")
        let socket = try unsafe open(folder, name) { number, address, length in
            // The mode of a socket's name is that of the descriptor, less the mask.
            _ = fchmod(number, 0o600)
            return unsafe bind(number, address, length) == 0
        }
        guard unsafe chmod("\(folder)/\(name)", 0o600) == 0, Glibc.listen(socket.number, 64) == 0
        else { throw .last }
        return socket
    }

    private static func open(
        _ folder: String, _ name: String,
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws(SocketFailure) -> LocalSocket {
        let place = unsafe Glibc.open(folder, pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard place >= 0 else { throw .last }
        defer { _ = close(place) }
        let number = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw .last }
        let socket = LocalSocket(owning: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(place)/\(name)".utf8)
        let isDone = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            guard path.count < bytes.count else { return false }
            unsafe bytes.copyBytes(from: path)
            return true
        }
        guard isDone else { throw SocketFailure(code: ENAMETOOLONG) }
        let isOpen = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isOpen else { throw .last }
        return socket
    }

    /// Takes the next connection. See `accept(2)`.
    ///
    /// - Returns: `nil` when there is none to be had.
    package func accept() -> LocalSocket? {
        let accepted = Glibc.accept(number, nil, nil)
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return LocalSocket(owning: accepted)
    }

    /// Whose process connected, as the kernel says. See `SO_PEERCRED` in `socket(7)`.
    package var peerUser: UInt32? {
        // The structure `ucred`, which Swift's Glibc leaves out: process, user, group.
        var credentials: [UInt32] = [0, 0, 0]
        var length = socklen_t(12)
        let code = unsafe getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return code == 0 && length == 12 ? credentials[1] : nil
    }

    /// How long a read or write may wait, in seconds; 0 for ever.
    package func setTimeout(_ seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = unsafe setsockopt(number, SOL_SOCKET, option, &time, length)
        }
    }

    /// Reads what there is, behind what the buffer holds already, without making it larger.
    ///
    /// - Returns: how many bytes came; 0 at the end.
    package func read(into buffer: inout [UInt8], at start: Int) throws(SocketFailure) -> Int {
        let room = buffer.count - start
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(number, bytes.baseAddress! + start, room)
            }
            if count >= 0 { return count }
            if errno != EINTR { throw .last }
        }
    }

    /// Writes everything.
    ///
    /// - Parameter patience: how often, of a tenth of a second each, it waits for a reader when the
    ///   socket does not wait by itself.
    package func write(_ bytes: [UInt8], patience: Int = 0) throws(SocketFailure) {
        var written = 0
        var patience = patience
        while written < bytes.count {
            let start = written
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(
                    number, buffer.baseAddress! + start, buffer.count - start,
                    Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN, patience > 0 {
                patience -= waitForRoom() ? 0 : 1
                continue
            }
            if count < 0, errno != EINTR { throw .last }
            written += max(count, 0)
        }
    }

    /// Waits a tenth of a second for a reader. See `poll(2)`.
    private func waitForRoom() -> Bool {
        var one = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&one, 1, 100) > 0
    }

    /// From now on a read or write that would wait fails with `EAGAIN`.
    package func setNonBlocking() { _ = fcntl(number, F_SETFL, O_NONBLOCK) }

    /// Ends both directions, so that whoever waits for it goes on.
    package func shutDown() { _ = shutdown(number, Int32(SHUT_RDWR)) }
}
