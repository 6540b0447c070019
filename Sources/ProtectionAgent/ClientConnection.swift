internal import AgentControl
internal import Cryptography
internal import DataProtection
internal import Dispatch
internal import Synchronization

/// A client that has connected; its bytes become requests.
final class ClientConnection: Sendable {
    /// What comes from a client.
    enum Event: Sendable {
        /// A request, with the passcode's bytes that followed.
        case request(AgentRequest, WipedBytes)
        /// Something that is no request.
        case unreadable(ProtectionError)
        /// Nothing any more.
        case end
    }

    private let socket: LocalSocket
    private let source = Mutex<ReadSource?>(nil)
    private let reader = Mutex(RequestReader())

    /// Its descriptor, which stays its own while it is there.
    var number: Int32 { socket.number }

    init(_ socket: LocalSocket) {
        self.socket = socket
        socket.setNonBlocking()
    }

    /// Reads from now on.
    func start(_ queue: DispatchQueue, _ hear: @escaping @Sendable (Event) -> Void) {
        let made = ReadSource(socket.number, queue, keeping: socket) { [weak self] in
            guard let self else { return }
            for event in reader.withLock({ $0.read(from: self.socket) }) { hear(event) }
        }
        source.withLock { $0 = made }
    }

    /// Reads no more; the socket is closed when its last user has gone.
    func end() { source.withLock { $0?.cancel() } }

    /// Sends a line.
    ///
    /// - Parameter waits: whether to wait up to five seconds for a client that reads slowly.
    /// - Returns: whether it went.
    @discardableResult
    func send(_ reply: AgentReply, waits: Bool = false) -> Bool {
        (try? socket.write(AgentLine.bytes(reply), patience: waits ? 50 : 0)) != nil
    }
}

/// Puts requests together from what arrives.
struct RequestReader: Sendable {
    /// Never made larger: a passcode must not be left behind by growing.
    private var buffer = [UInt8](
        repeating: 0, count: AgentRequest.lineLimit + AgentRequest.passcodeLimit)
    private var count = 0
    private var hasEnded = false

    /// Reads what there is.
    mutating func read(from socket: LocalSocket) -> [ClientConnection.Event] {
        guard !hasEnded else { return [] }
        let start = count
        do throws(SocketFailure) {
            let received = try socket.read(into: &buffer, at: start)
            hasEnded = received == 0
            count += received
        } catch {
            // A source may be too early.
            guard !error.isEarly else { return [] }
            hasEnded = true
        }
        guard !hasEnded else {
            Wipe.zero(&buffer)
            return [.end]
        }
        var events: [ClientConnection.Event] = []
        while !hasEnded, let event = next() { events.append(event) }
        return events
    }

    /// The next whole request of what has arrived.
    private mutating func next() -> ClientConnection.Event? {
        guard let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) else {
            return count >= AgentRequest.lineLimit ? refuse("the line is too long") : nil
        }
        guard let request: AgentRequest = AgentLine.value(buffer[..<end]) else {
            return refuse("it is no JSON of this protocol")
        }
        guard request.seal == AgentRequest.version else {
            hasEnded = true
            return .unreadable(.agentVersion(request.seal))
        }
        let length = request.passcodeByteCount ?? 0
        guard (0...AgentRequest.passcodeLimit).contains(length),
            (length > 0) == (request.request == .unlock)
        else { return refuse("passcodeByteCount") }
        guard count >= end + 1 + length else { return nil }
        let passcode = WipedBytes(copying: buffer, (end + 1)..<(end + 1 + length))
        let used = end + 1 + length
        for index in used..<count { buffer[index - used] = buffer[index] }
        // What is behind the rest was part of it, or a passcode.
        for index in (count - used)..<count { buffer[index] = 0 }
        count -= used
        return .request(request, passcode)
    }

    private mutating func refuse(_ what: String) -> ClientConnection.Event {
        hasEnded = true
        Wipe.zero(&buffer)
        return .unreadable(.agentRequest(what))
    }
}
