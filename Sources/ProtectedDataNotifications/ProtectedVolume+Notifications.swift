public import DataProtection
internal import Dispatch
public import Foundation
internal import Synchronization

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
    private struct Line {
        let queue = DispatchQueue(label: "ProtectedDataNotifications")
        var waitingCount = 0
    }

    /// For each volume, what is still to be posted: in order, and never on a thread that an
    /// observer's queue may be waiting for.
    private static let lines = Mutex<[ObjectIdentifier: Line]>([:])
    private static let longestWait = DispatchTimeInterval.seconds(2)

    /// A notification's name; from now on the notifications are posted.
    static func name(_ text: String) -> Notification.Name {
        LockBulletin.setReader { event, volume in
            switch event {
            case .willBecomeUnavailable:
                post(
                    ProtectedVolume.protectedDataWillBecomeUnavailableNotification, volume,
                    waits: true)
            case .didBecomeAvailable:
                post(
                    ProtectedVolume.protectedDataDidBecomeAvailableNotification, volume,
                    waits: false)
            case .current, .didBecomeUnavailable: break
            }
        }
        return Notification.Name(text)
    }

    private static func post(_ name: Notification.Name, _ volume: ProtectedVolume, waits: Bool) {
        // Foundation runs an observer of the main queue at once on the main thread. Elsewhere it
        // hands it over and waits, on the main actor of a program without a main thread for ever.
        if Thread.isMainThread {
            return NotificationCenter.default.post(name: name, object: volume)
        }
        let isPosted = DispatchSemaphore(value: 0)
        let key = ObjectIdentifier(volume)
        let queue = lines.withLock { lines in
            lines[key, default: Line()].waitingCount += 1
            return lines[key]!.queue
        }
        queue.async {
            NotificationCenter.default.post(name: name, object: volume)
            isPosted.signal()
            lines.withLock { lines in
                lines[key]!.waitingCount -= 1
                if lines[key]!.waitingCount == 0 { lines[key] = nil }
            }
        }
        if waits { _ = isPosted.wait(timeout: .now() + longestWait) }
    }
}
