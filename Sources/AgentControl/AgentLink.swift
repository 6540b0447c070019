internal import Cryptography
internal import DataProtection

/// A conversation with an agent.
final class AgentLink {
    let socket: LocalSocket
    private let process: Int32
    private var buffer = [UInt8](repeating: 0, count: 65536)
    private var count = 0

    init(_ socket: LocalSocket, _ process: Int32) {
        self.socket = socket
        self.process = process
    }

    /// Sends a request, and the passcode that belongs to it; its bytes are wiped here.
    func send(_ request: AgentRequest, passcode: Passcode? = nil) throws(ProtectionError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(AgentRequest.lineLimit + AgentRequest.passcodeLimit)
        defer { Wipe.zero(&bytes) }
        var request = request
        request.passcodeByteCount = passcode?.withBytes { $0.count }
        bytes += AgentLine.bytes(request)
        // Appended in place: an array of their own would be one more to wipe.
        passcode?.withBytes { span in
            for index in span.indices { bytes.append(span[index]) }
        }
        do throws(SocketFailure) {
            try socket.write(bytes)
        } catch {
            throw error.isEnd ? .agentEnded(process) : .agentSilent(process)
        }
    }

    /// The next answer.
    ///
    /// - Returns: `nil` when the agent has ended.
    /// - Throws: what it refused with; `host` when it does not answer, `newerFormat` when it
    ///   speaks another version.
    func receive() throws(ProtectionError) -> AgentReply? {
        while true {
            if let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) {
                let reply: AgentReply? = AgentLine.value(buffer[..<end])
                buffer.replaceSubrange(0..<(count - end - 1), with: buffer[(end + 1)..<count])
                count -= end + 1
                guard let reply else { throw .agentRequest("its answer cannot be read") }
                guard reply.seal == AgentRequest.version else { throw .agentVersion(reply.seal) }
                if let problem = reply.error { throw ProtectionError(problem) }
                return reply
            }
            if count == buffer.count {
                buffer.append(contentsOf: repeatElement(0, count: buffer.count))
            }
            let received: Int
            do throws(SocketFailure) {
                received = try socket.read(into: &buffer, at: count)
            } catch {
                throw error.isEnd ? .agentEnded(process) : .agentSilent(process)
            }
            if received == 0 { return nil }
            count += received
        }
    }

    /// Asks, and waits for the answer.
    func ask(
        _ request: AgentRequest, passcode: Passcode? = nil
    ) throws(ProtectionError) -> AgentReply {
        try send(request, passcode: passcode)
        guard let reply = try receive() else { throw .agentEnded(process) }
        return reply
    }
}
