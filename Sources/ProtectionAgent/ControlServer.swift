package import AgentControl
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
        /// Their numbers, in the order in which they came.
        var order: [Int32] = []
        var watchers: Set<Int32> = []

        /// Makes room for one: who came first and watches nothing has to go, and when all watch,
        /// who came first.
        mutating func makeRoom() -> ClientConnection? {
            guard connections.count >= ControlServer.connectionLimit else { return nil }
            guard let number = order.first(where: { !watchers.contains($0) }) ?? order.first else {
                return nil
            }
            return remove(number)
        }

        mutating func remove(_ number: Int32) -> ClientConnection? {
            watchers.remove(number)
            order.removeAll { $0 == number }
            return connections.removeValue(forKey: number)
        }
    }

    /// How many clients there may be at once.
    private static let connectionLimit = 256

    private let work: AgentWork
    private let place: AgentFolder
    private let listener: LocalSocket
    private let queue = DispatchQueue(label: "seal.control", qos: .userInitiated)
    private let workers = DispatchQueue(
        label: "seal.work", qos: .userInitiated, attributes: .concurrent)
    /// A concurrent queue has a thread for each core, and a key derivation keeps one busy: a lock
    /// would wait behind it. Serial ones have a thread of their own.
    private let unlocks = DispatchQueue(label: "seal.unlock", qos: .userInitiated)
    private let locks = DispatchQueue(label: "seal.lock", qos: .userInteractive)
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
        // A program that leaks connections must not keep a lock out.
        let former = state.withLock { state in
            defer {
                state.connections[socket.number] = connection
                state.order.append(socket.number)
            }
            return state.makeRoom()
        }
        former?.end()
        connection.start(queue) { [weak self, weak connection] event in
            if let connection { self?.hear(event, connection) }
        }
    }

    private func hear(_ event: ClientConnection.Event, _ connection: ClientConnection) {
        switch event {
        case .end: forget(connection)
        case .unreadable(let error):
            send(AgentReply(error), to: connection)
            forget(connection)
        case .request(let request, let passcode):
            let begun = work.agent.volume.beginUnlock()
            queue(for: request.request).async { [self] in
                let reply = work.answer(request, passcode: passcode, begun: begun)
                if request.request == .watch {
                    beginWatching(connection)
                } else {
                    // A long list of holders is more than the kernel keeps for a reader.
                    workers.async { self.send(reply, to: connection, waits: true) }
                }
            }
        }
    }

    private func queue(for request: AgentRequest.Action) -> DispatchQueue {
        switch request {
        case .unlock: unlocks
        case .lock: locks
        case .status, .watch, .unmount: workers
        }
    }

    private func beginWatching(_ connection: ClientConnection) {
        // The first answer and every later one in order: both are sent under this lock.
        state.withLock { state in
            guard state.connections[connection.number] === connection else { return }
            state.watchers.insert(connection.number)
            connection.send(AgentReply(status: work.agent.status, event: .current))
        }
    }

    private func send(_ reply: AgentReply, to connection: ClientConnection, waits: Bool = false) {
        if !connection.send(reply, waits: waits) { forget(connection) }
    }

    private func tell(_ reply: AgentReply) {
        state.withLock { state in
            for number in state.watchers where state.connections[number]?.send(reply) != true {
                // Who does not read must not hold the lock up.
                state.remove(number)?.end()
            }
        }
    }

    private func forget(_ connection: ClientConnection) {
        state.withLock { state in
            // Its number may be another client's by now.
            guard state.connections[connection.number] === connection else { return }
            _ = state.remove(connection.number)
        }
        connection.end()
    }
}
