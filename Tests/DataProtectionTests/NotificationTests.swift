import DataProtection
import Foundation
import ProtectedDataNotifications
import Synchronization
import TestSupport
import Testing

/// The notifications, as UIKit's application posts them.
@Suite struct `A notification of a volume` {
    private struct Note: Sendable, Equatable {
        let isWill: Bool
        let wasAvailable: Bool
    }

    private static let will = Note(isWill: true, wasAvailable: true)
    private static let did = Note(isWill: false, wasAvailable: true)

    /// Hears what is posted for one volume.
    private final class Ears: @unchecked Sendable {
        private let notes = Mutex<[Note]>([])
        /// Not changed after `init`.
        private var tokens: [any NSObjectProtocol] = []
        var heard: [Note] { notes.withLock { $0 } }

        init(_ volume: ProtectedVolume) {
            let names = [
                ProtectedVolume.protectedDataWillBecomeUnavailableNotification,
                ProtectedVolume.protectedDataDidBecomeAvailableNotification,
            ]
            for (index, name) in names.enumerated() {
                let token = NotificationCenter.default.addObserver(
                    forName: name, object: volume, queue: nil
                ) { [self] notification in
                    #expect(notification.userInfo == nil)
                    let posted = notification.object as? ProtectedVolume
                    let isAvailable = posted?.isProtectedDataAvailable ?? false
                    notes.withLock {
                        $0.append(Note(isWill: index == 0, wasAvailable: isAvailable))
                    }
                }
                tokens.append(token)
            }
        }

        /// Waits until so many were heard, and a little longer for one too many.
        func hear(_ count: Int) async throws -> [Note] {
            while heard.count < count { try await Task.sleep(for: .milliseconds(1)) }
            try await Task.sleep(for: .milliseconds(10))
            return heard
        }

        func stop() {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }

    @Test func `comes before the keys go, and when they are back`() async throws {
        let rig = try VolumeRig()
        let ears = Ears(rig.volume)
        defer { ears.stop() }
        rig.volume.lock()
        #expect(ears.heard == [Self.will], "the lock waits for it")
        rig.volume.lock()
        #expect(throws: ProtectionError.self) {
            try rig.volume.unlock(passcode: Passcode("wrong"))
        }
        #expect(ears.heard == [Self.will])
        try rig.unlock()
        try rig.unlock()
        #expect(try await ears.hear(2) == [Self.will, Self.did])
    }

    @Test func `is not posted for an unlock within the grace`() async throws {
        let rig = try VolumeRig()
        let ears = Ears(rig.volume)
        defer { ears.stop() }
        rig.volume.lock(grace: .seconds(10))
        await rig.clock.waitForSleepers(1)
        try rig.unlock()
        rig.clock.advance(by: .seconds(100))
        #expect(try await ears.hear(0) == [])
        rig.volume.lock(grace: .seconds(10))
        #expect(try await ears.hear(0) == [], "the keys are still here")
        await rig.passGrace()
        #expect(try await ears.hear(1) == [Self.will])
    }

    @Test func `comes at the first unlock, and for the volume alone`() async throws {
        let rig = try VolumeRig()
        let other = try VolumeRig()
        try rig.reboot()
        let ears = Ears(rig.volume)
        let otherEars = Ears(other.volume)
        defer {
            ears.stop()
            otherEars.stop()
        }
        rig.volume.lock()
        #expect(ears.heard == [], "there is nothing to lock before the first unlock")
        try rig.unlock()
        #expect(try await ears.hear(1) == [Self.did])
        other.volume.lock()
        #expect(otherEars.heard == [Self.will])
        #expect(ears.heard == [Self.did])
    }

    @Test func `finds the data readable one last time`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [7], .complete)
        let files = rig.files
        let url = rig.url("f")
        let found = Mutex<Data?>(nil)
        let token = NotificationCenter.default.addObserver(
            forName: ProtectedVolume.protectedDataWillBecomeUnavailableNotification,
            object: rig.volume, queue: nil
        ) { _ in
            found.withLock { $0 = try? Data(contentsOf: url, in: files) }
        }
        rig.volume.lock()
        NotificationCenter.default.removeObserver(token)
        #expect(found.withLock { $0 } == Data([7]))
        #expect(fileRefusal { _ = try Data(contentsOf: url, in: files) } == .sealed)
    }

    @Test func `comes after the volume's own observers`() throws {
        let rig = try VolumeRig()
        let order = Mutex<[String]>([])
        let token = NotificationCenter.default.addObserver(
            forName: ProtectedVolume.protectedDataWillBecomeUnavailableNotification,
            object: rig.volume, queue: nil
        ) { _ in
            order.withLock { $0.append("notification") }
        }
        let observation = rig.volume.observeLock { event in
            if event == .willBecomeUnavailable { order.withLock { $0.append("observer") } }
        }
        rig.volume.lock()
        NotificationCenter.default.removeObserver(token)
        observation.cancel()
        #expect(order.withLock { $0 } == ["observer", "notification"])
    }

    /// Foundation waits for the observer's queue, which is the very one that locks or unlocks.
    @Test func `on the main queue is heard whoever locks and unlocks`() async throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        let heard = Mutex<[Bool]>([])
        let tokens = [
            ProtectedVolume.protectedDataWillBecomeUnavailableNotification,
            ProtectedVolume.protectedDataDidBecomeAvailableNotification,
        ].enumerated().map { index, name in
            NotificationCenter.default.addObserver(forName: name, object: volume, queue: .main) {
                _ in
                MainActor.assumeIsolated { heard.withLock { $0.append(index == 0) } }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        let passcode = try Passcode(VolumeRig.passcode)
        for round in 1...2 {
            if round == 1 {
                volume.lock()
                try volume.unlock(passcode: passcode)
            } else {
                try await MainActor.run {
                    volume.lock()
                    #expect(volume.lockState == .locked, "a queue that waits cannot stop a lock")
                    try volume.unlock(passcode: passcode)
                }
            }
            while heard.withLock({ $0.count }) < 2 * round {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(heard.withLock { $0 } == [true, false, true, false])
    }
}
