package import AgentControl
internal import Cryptography
package import DataProtection
internal import Dispatch
internal import Synchronization

/// Answers at the control socket.
///
/// Everything that waits for a client is done by sources of one queue, so that a client that says
/// nothing holds nobody up; what takes time is done on another.
package final class ControlServer: Sendable {
    private struct State {
        var connections: [Int32: ClientConnection] = [:]
        var watchers: Set<Int32> = []
    }

    /// How many clients there may be at once.
    private static let connectionLimit = 256

    private let work: AgentWork
    private let place: AgentFolder
    private let listener: LocalSocket
    private let queue = DispatchQueue(label: "seal.control", qos: .userInitiated)
    private let workers = DispatchQueue(
        label: "seal.work", qos: .userInitiated, attributes: .concurrent)
    private let state = Mutex(State())
    private let acceptor = Mutex<ReadSource?>(nil)

    /// Makes the socket, and answers from now on.
    ///
    /// - Throws: `forbidden`, `host` when there can be no socket.
    package init(_ agent: Agent, in place: AgentFolder) throws(ProtectionError) {
        work = AgentWork(agent: agent)
        self.place = place
        listener = try place.listen()
        listener.setNonBlocking()
        let source = ReadSource(listener.number, queue, keeping: listener) { [weak self] in
            self?.accept()
        }
        acceptor.withLock { $0 = source }
        agent.listen { [weak self] reply in self?.tell(reply) }
    }

    /// Takes the socket away. Who watches hears the end when the process ends.
    package func stop() {
        place.removeOwn()
        acceptor.withLock { source in
            source?.cancel()
            source = nil
        }
    }

    private func accept() {
        guard let socket = listener.accept() else { return }
        // Root may do everything anyway, and is who PAM runs as.
        guard let user = socket.peerUser, user == FolderCalls.user || user == 0 else { return }
        let connection = ClientConnection(socket)
        let isKept = state.withLock { state in
            guard state.connections.count < Self.connectionLimit else { return false }
            state.connections[socket.number] = connection
            return true
        }
        guard isKept else { return }
        let number = socket.number
        connection.start(queue) { [weak self] event in self?.hear(event, number) }
    }

    private func hear(_ event: ClientConnection.Event, _ number: Int32) {
        switch event {
        case .end: forget(number)
        case .unreadable(let error):
            send(AgentReply(error), to: number)
            forget(number)
        case .request(let request, let passcode):
            workers.async { [self] in
                var passcode = passcode
                defer { Wipe.zero(&passcode) }
                let reply = work.answer(request, passcode: passcode)
                if request.request == .watch {
                    beginWatching(number)
                } else {
                    send(reply, to: number)
                }
            }
        }
    }

    private func beginWatching(_ number: Int32) {
        // The first answer and every later one in order: both are sent under this lock.
        state.withLock { state in
            guard let connection = state.connections[number] else { return }
            state.watchers.insert(number)
            connection.send(AgentReply(status: work.agent.status, event: .current))
        }
    }

    private func send(_ reply: AgentReply, to number: Int32) {
        let connection = state.withLock { $0.connections[number] }
        guard let connection, connection.send(reply) else { return forget(number) }
    }

    private func tell(_ reply: AgentReply) {
        state.withLock { state in
            for number in state.watchers where state.connections[number]?.send(reply) != true {
                // Who does not read must not hold the lock up.
                state.watchers.remove(number)
                state.connections.removeValue(forKey: number)?.end()
            }
        }
    }

    private func forget(_ number: Int32) {
        let connection = state.withLock { state in
            state.watchers.remove(number)
            return state.connections.removeValue(forKey: number)
        }
        connection?.end()
    }
}
