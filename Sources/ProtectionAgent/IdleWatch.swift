internal import AgentControl
internal import DataProtection
internal import Dispatch
internal import Synchronization

/// Locks a volume that nobody has used for a time.
final class IdleWatch: Sendable {
    private let agent: Agent
    private let queue = DispatchQueue(label: "seal.idle")
    private let time: Mutex<IdleTime>
    private let pause: Double
    private let useCount = Atomic<UInt64>(0)

    /// Watches from now on.
    ///
    /// - Parameter minutes: the time.
    init(_ agent: Agent, minutes: Int) {
        self.agent = agent
        time = Mutex(IdleTime(limit: Double(minutes) * 60))
        pause = min(Double(minutes) * 60 / 10, 30)
        agent.volume.operationHook = { [weak self] _ in
            self?.useCount.wrappingAdd(1, ordering: .relaxed)
        }
        lookLater()
    }

    private func lookLater() {
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self else { return }
            let count = useCount.load(ordering: .relaxed)
            let isOver = time.withLock {
                $0.isOver(useCount: count, now: AgentCalls.seconds())
            }
            if isOver, agent.volume.lockState == .unlocked { agent.lock(.idle) }
            lookLater()
        }
    }
}
