public import DataProtection
public import Foundation

/// The two notifications of UIKit's application, posted for a volume.
///
/// They are posted on `NotificationCenter.default`, with the volume as object and without user
/// information, from the moment that one of the names is first asked for. Subscribe first, then
/// look at the present state; duplicates are harmless.
extension ProtectedVolume {
    /// The keys of class `complete` are about to be wiped; `isProtectedDataAvailable` is still
    /// true. Let go of what is in memory.
    ///
    /// The lock waits for its observers, two seconds at most: an observer whose queue is busy must
    /// not keep the keys here.
    public static let protectedDataWillBecomeUnavailableNotification = Bulletin.name(
        "ProtectedVolumeProtectedDataWillBecomeUnavailable")

    /// Everything can be read again. Not posted for an unlock within the grace, when nothing was
    /// announced. The unlock does not wait for its observers.
    public static let protectedDataDidBecomeAvailableNotification = Bulletin.name(
        "ProtectedVolumeProtectedDataDidBecomeAvailable")
}

/// Posts what the volumes tell.
private enum Bulletin {
    /// A notification's name; from now on the notifications are posted.
    static func name(_ text: String) -> Notification.Name {
        LockBulletin.setReader { event, volume in
            switch event {
            case .willBecomeUnavailable:
                NotificationLine.post(
                    ProtectedVolume.protectedDataWillBecomeUnavailableNotification, volume,
                    waits: true)
            case .didBecomeAvailable:
                NotificationLine.post(
                    ProtectedVolume.protectedDataDidBecomeAvailableNotification, volume,
                    waits: false)
            case .current, .didBecomeUnavailable: break
            }
        }
        return Notification.Name(text)
    }
}
