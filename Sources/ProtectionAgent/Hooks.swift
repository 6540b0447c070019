internal import AgentControl
internal import Dispatch

/// Runs the user's commands after locks and unlocks, one after the other.
package final class Hooks: Sendable {
    private let launch: AgentLaunch
    private let queue = DispatchQueue(label: "seal.hooks")

    /// Runs them from now on.
    package init(_ agent: Agent) {
        launch = agent.launch
        agent.listen { [weak self] reply in
            switch reply.event {
            case .didBecomeUnavailable: self?.run(self?.launch.onLock, "locked")
            case .didBecomeAvailable: self?.run(self?.launch.onUnlock, "unlocked")
            default: break
            }
        }
    }

    private func run(_ command: String?, _ state: String) {
        guard let command else { return }
        queue.async { [launch] in
            let environment = [
                (name: "SEAL_FOLDER", value: launch.folder),
                (name: "SEAL_VOLUME", value: launch.volume), (name: "SEAL_STATE", value: state),
            ]
            let child = try? ChildProgram(
                "/bin/sh", ["-c", command], environment: environment, isMute: true)
            child?.wait()
        }
    }
}
