public import DataProtection
public import Foundation
internal import ProtectedDataNotifications
internal import Synchronization

/// A stand-in for UIKit's application, as far as it has to do with Data Protection: code for iOS
/// compiles with `import SimulatedDevice` in the place of `import UIKit`.
///
/// It speaks for the device that `SimulatedDevice.makeCurrent()` names; a program has one at a
/// time. Before that, protected data is always available and nothing is posted.
@MainActor
public final class UIApplication: ProtectedDataAvailability {
    private nonisolated static let instance = UIApplication()

    /// The program's one application.
    public static var shared: UIApplication { instance }

    /// Posted on `NotificationCenter.default`, with the application as object and without user
    /// information, when everything can be read again. The unlock does not wait for observers.
    public nonisolated static let protectedDataDidBecomeAvailableNotification =
        Notification.Name("UIApplicationProtectedDataDidBecomeAvailable")

    /// Posted as the other, shortly before the keys of `complete` go: protected data is still
    /// available. The lock waits for observers, two seconds at most.
    public nonisolated static let protectedDataWillBecomeUnavailableNotification =
        Notification.Name("UIApplicationProtectedDataWillBecomeUnavailable")

    private nonisolated init() {}

    /// Whether data of class `complete` can be used on the current device; `true` without one.
    public var isProtectedDataAvailable: Bool {
        CurrentDevice.device?.isProtectedDataAvailable ?? true
    }

    /// As `SimulatedDevice.protectedDataChanges` of the device that is current now. Without one,
    /// `true` comes and nothing more.
    public nonisolated var protectedDataChanges: AsyncStream<Bool> {
        CurrentDevice.device?.protectedDataChanges
            ?? AsyncStream { continuation in
                continuation.yield(true)
                continuation.finish()
            }
    }

    /// Posts what happened on the current device.
    fileprivate nonisolated static func post(_ event: LockEvent) {
        switch event {
        case .willBecomeUnavailable:
            NotificationLine.post(
                protectedDataWillBecomeUnavailableNotification, instance, waits: true)
        case .didBecomeAvailable:
            NotificationLine.post(
                protectedDataDidBecomeAvailableNotification, instance, waits: false)
        case .current, .didBecomeUnavailable: break
        }
    }
}

extension SimulatedDevice {
    /// Makes `UIApplication.shared` speak for this device, and no longer for another.
    public func makeCurrent() {
        CurrentDevice.device = self
    }
}

/// The device that the application speaks for.
private enum CurrentDevice {
    private struct Current {
        let device: SimulatedDevice
        let observation: LockObservation
    }

    private static let current = Mutex<Current?>(nil)

    static var device: SimulatedDevice? {
        get { current.withLock { $0?.device } }
        set {
            let next = newValue.map { device in
                Current(device: device, observation: device.observeLock { UIApplication.post($0) })
            }
            // The former one is let go of where no lock is held: its observation calls back.
            let former = current.withLock { current in
                defer { current = next }
                return current
            }
            former?.observation.cancel()
        }
    }
}
