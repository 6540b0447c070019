internal import AgentControl
internal import DataProtection

/// Does what a request asks for.
struct AgentWork: Sendable {
    let agent: Agent

    /// The answer to a request.
    ///
    /// - Parameter passcode: the bytes that followed; wiped by the caller.
    func answer(_ request: AgentRequest, passcode: [UInt8]) -> AgentReply {
        do throws(ProtectionError) {
            switch request.request {
            case .status, .watch: break
            case .lock:
                agent.lock(.command)
                return AgentReply(status: agent.status, holders: agent.door.sealedFileHolders())
            case .unlock:
                let passcode = try Passcode(utf8: passcode)
                try agent.unlock(passcode: passcode, isLogin: request.isLogin ?? false)
            case .unmount:
                try agent.door.unmount(force: request.force ?? false)
            }
            return AgentReply(status: agent.status)
        } catch {
            var reply = AgentReply(error)
            if request.request == .unmount { reply.holders = agent.door.sealedFileHolders() }
            return reply
        }
    }
}
