import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import Testing

/// What a person does with a phone in the hand (Examples/OnDevice), here without one.
extension `The application` {
    @Test func `finds a drain waiting in the pocket, and resumes it at the unlock`() async throws {
        let device = try SimulatedDevice()
        device.makeCurrent()
        let outbox = try device.volume.outbox("Outbox")
        try await outbox.save(Data("entry".utf8), named: "entry")
        let sent = Mutex<[Data]>([])
        let drain = { @Sendable in
            try await outbox.drain { item in sent.withLock { $0.append(item.body) } }
        }

        // The screen locks before the background task runs. The flag does not turn at once.
        device.lock()
        #expect(await UIApplication.shared.isProtectedDataAvailable)
        device.advance(by: .seconds(10))
        #expect(await !UIApplication.shared.isProtectedDataAvailable)
        #expect(try await drain() == .waitingForUnlock)
        #expect(sent.withLock { $0.isEmpty })

        let resumed = Mutex(0)
        let token = NotificationCenter.default.addObserver(
            forName: UIApplication.protectedDataDidBecomeAvailableNotification, object: nil,
            queue: nil
        ) { _ in
            resumed.withLock { $0 += 1 }
            Task { try await drain() }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try device.unlock(passcode: SimulatedDevice.passcode)
        while sent.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(sent.withLock { $0 } == [Data("entry".utf8)])
        #expect(resumed.withLock { $0 } == 1)
    }
}
