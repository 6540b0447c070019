import DataProtection
import Foundation
import ProtectedDataNotifications
import TestSupport

/// A device for one sample: a volume of its own, and somebody who knows the passcode.
final class SampleDevice: Sendable {
    let volume: ProtectedVolume
    let files: ProtectedFileManager
    private let passcode: Passcode

    /// Makes a device that is unlocked.
    ///
    /// - Parameter path: the host's folder for the volume; `nil` for one in memory.
    init(at path: String? = nil) throws {
        passcode = try Passcode("correct horse")
        let configuration = VolumeConfiguration(
            passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))
        let key = try DeviceKey.inMemory()
        volume =
            if let path {
                try ProtectedVolume.create(
                    at: path, configuration: configuration, passcode: passcode, deviceKey: key)
            } else {
                try ProtectedVolume.inMemory(
                    configuration: configuration, passcode: passcode, deviceKey: key)
            }
        files = volume.files
    }

    /// The user locks the screen, and some time passes.
    func lock() { volume.lock() }

    /// The user comes back.
    func unlock() throws { try volume.unlock(passcode: passcode) }

    /// Documents, as an app asks for it.
    var documents: URL { files.urls(for: .documentDirectory, in: .userDomainMask)[0] }

    /// The class that is recorded for a file.
    func recordedClass(of url: URL) throws -> FileProtectionType? {
        try files.attributesOfItem(atPath: url.path)[.protectionKey] as? FileProtectionType
    }
}

/// What the samples use of UIKit's application: the flag and one notification, of one volume.
@MainActor final class UIApplication {
    private let volume: ProtectedVolume
    /// Called after each question for the flag, so that a test can lock in between.
    var wasAsked: () -> Void = {}

    init(_ volume: ProtectedVolume) { self.volume = volume }

    /// Whether data of class `complete` can be used.
    var isProtectedDataAvailable: Bool {
        defer { wasAsked() }
        return volume.isProtectedDataAvailable
    }

    nonisolated static let protectedDataDidBecomeAvailableNotification =
        ProtectedVolume.protectedDataDidBecomeAvailableNotification
}
