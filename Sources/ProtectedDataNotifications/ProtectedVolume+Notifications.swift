public import DataProtection
public import Foundation

/// The two notifications of UIKit's application, posted for a volume.
///
/// They are posted on `NotificationCenter.default`, with the volume as object and without user
/// information, on the thread that locks or unlocks, from the moment that one of the names is first
/// asked for. An observer with a queue is waited for, so a *will* that is observed on the main queue
/// needs a main thread that is free. Subscribe first, then look at the present state; duplicates are
/// harmless.
extension ProtectedVolume {
    /// The keys of class `complete` are about to be wiped; `isProtectedDataAvailable` is still true.
    /// Let go of what is in memory.
    public static let protectedDataWillBecomeUnavailableNotification = name(
        "ProtectedVolumeProtectedDataWillBecomeUnavailable")

    /// Everything can be read again. Not posted for an unlock within the grace, when nothing was
    /// announced.
    public static let protectedDataDidBecomeAvailableNotification = name(
        "ProtectedVolumeProtectedDataDidBecomeAvailable")

    private static func name(_ text: String) -> Notification.Name {
        LockBulletin.setReader { event, volume in
            switch event {
            case .willBecomeUnavailable:
                NotificationCenter.default.post(
                    name: protectedDataWillBecomeUnavailableNotification, object: volume)
            case .didBecomeAvailable:
                NotificationCenter.default.post(
                    name: protectedDataDidBecomeAvailableNotification, object: volume)
            case .current, .didBecomeUnavailable: break
            }
        }
        return Notification.Name(text)
    }
}
