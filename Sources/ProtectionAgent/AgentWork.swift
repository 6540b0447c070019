internal import AgentControl
internal import DataProtection

/// Does what a request asks for.
struct AgentWork: Sendable {
    let agent: Agent

    /// The answer to a request.
    ///
    /// - Parameters:
    ///   - passcode: the bytes that followed.
    ///   - begun: when it was asked for.
    func answer(
        _ request: AgentRequest, passcode: WipedBytes, begun: UnlockMoment
    ) -> AgentReply {
        do throws(ProtectionError) {
            switch request.request {
            case .status, .watch: break
            case .lock:
                agent.lock(.command)
                return AgentReply(status: agent.status, holders: agent.door.sealedFileHolders())
            case .unlock:
                let passcode = try passcode.passcode()
                try agent.unlock(
                    passcode: passcode, isLogin: request.isLogin ?? false, begun: begun)
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
