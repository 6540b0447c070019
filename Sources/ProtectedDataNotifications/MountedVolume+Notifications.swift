public import AgentControl
public import DataProtection
internal import Foundation

extension MountedVolume {
    /// Posts the two notifications of `ProtectedVolume` for a mount, with this object, on
    /// `NotificationCenter.default`.
    ///
    ///     let volume = try MountedVolume(containing: "/home/ada/Vault/Letters")
    ///     let posting = volume.postNotifications()
    ///
    /// Subscribe first, then look at the present state. The lock is the agent's and waits for no
    /// observer: it may be over when *will become unavailable* is heard.
    /// - Returns: keep it as long as they are to be posted; they end with the mount, too.
    public func postNotifications() -> LockObservation {
        observeLock { [weak self] event in
            guard let self else { return }
            switch event {
            case .willBecomeUnavailable:
                NotificationLine.post(
                    ProtectedVolume.protectedDataWillBecomeUnavailableNotification, self,
                    waits: false)
            case .didBecomeAvailable:
                NotificationLine.post(
                    ProtectedVolume.protectedDataDidBecomeAvailableNotification, self, waits: false)
            case .current, .didBecomeUnavailable, nil: break
            }
        }
    }
}
