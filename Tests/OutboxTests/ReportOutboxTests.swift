import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// Public problem reports about outboxes (docs/reports.md), re-enacted.
@Suite("Reports: outboxes", .timeLimit(.minutes(30))) struct ReportOutboxTests {
    @Test(
        "posthog-ios#213, its queue: three events before the first unlock join all that were there")
    func eventsBeforeTheFirstUnlock() async throws {
        let rig = try OutboxRig()
        for number in 0..<4 { try await rig.save("old \(number)") }
        try rig.reboot()
        for number in 0..<3 { try await rig.save("new \(number)") }
        #expect(try await rig.drain() == .waitingForUnlock)
        try rig.unlock()
        #expect(try await rig.drain() == .drained(7))
        #expect(
            rig.receiver.bodies
                == (0..<4).map { "old \($0)" } + (0..<3).map { "new \($0)" })
    }

    @Test("firebase-ios-sdk#2963: a queue that is opened while locked takes items, or says sealed")
    func queueOpenedWhileLocked() async throws {
        let rig = try OutboxRig()
        try await rig.save("before")
        try rig.reboot()
        try await rig.save("while locked")
        #expect(await rig.outbox.status.pendingCount == 2)
        // Where not even names can be read, opening is refused as sealed, and can be tried again.
        let device = try DeviceKey.inMemory()
        let store = MemoryStore()
        try ProtectedVolume.create(
            in: store,
            configuration: VolumeConfiguration(
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192),
                hasPrivateNames: true),
            passcode: Passcode("1234"), deviceKey: device
        ).close()
        let volume = try ProtectedVolume.open(store, deviceKey: device)
        #expect { try volume.outbox("Outbox") } throws: { $0.isLocked }
        try volume.unlock(passcode: Passcode("1234"))
        try await volume.outbox("Outbox").save(Data([1]))
    }

    @Test("noop#956, its wait: who waits for the unlock says so, and can be ended")
    func waitWithAWayOut() async throws {
        let rig = try OutboxRig()
        let id = try await rig.save("acknowledgement")
        rig.volume.lock()
        #expect(try await rig.drain() == .waitingForUnlock)
        let status = await rig.outbox.status
        #expect(status.activity == .waiting(.waitingForUnlock))
        #expect(status.pendingCount == 1 && status.oldest != nil)
        try await rig.outbox.drop(id)
        #expect(try await rig.drain() == .drained(0))
        #expect(rig.receiver.arrivals.isEmpty)
    }

    @Test("owncloud/ios-legacy#13: ten locked wake-ups use up no attempt")
    func lockedWakeUps() async throws {
        let rig = try OutboxRig()
        try await rig.save("photo")
        rig.volume.lock()
        for _ in 0..<10 { #expect(try await rig.drain() == .waitingForUnlock) }
        #expect(try await rig.outbox.items().map(\.attemptCount) == [0])
        #expect(try await rig.outbox.items().map(\.lastReason) == [nil])
        try rig.unlock()
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.arrivals.map(\.attempt) == [1])
    }

    @Test("nextcloud/ios#2225: ten thousand items through fifty locks are sent once, with reasons")
    func tenThousandItemsThroughFiftyLocks() async throws {
        let rig = try OutboxRig()
        let count = 10_000
        for number in 0..<count { try await rig.save("\(number)") }
        let volume = rig.volume
        rig.receiver.answer { item in if item.id % 200 == 0 { volume.lock() } }
        var locks = 0
        loop: while true {
            switch try await rig.drain() {
            case .drained: break loop
            case .waitingForUnlock:
                locks += 1
                let status = await rig.outbox.status
                #expect(status.activity == .waiting(.waitingForUnlock))
                #expect(status.pendingCount == count - locks * 200)
                try rig.unlock()
            case let other:
                Issue.record("\(other)")
                break loop
            }
        }
        #expect(locks == 49 || locks == 50)
        #expect(rig.receiver.bodies == (0..<count).map { "\($0)" })
        #expect(rig.receiver.keyCount == count)
    }

    @Test("inactivity reboot, its items: who waits over three idle days sends everything once")
    func idleReboot() async throws {
        let device = try SimulatedDevice()
        let receiver = Receiver()
        let outbox = try device.volume.outbox("Outbox")
        for number in 0..<5 { try await outbox.save(Data("\(number)".utf8)) }
        device.lockAtOnce()
        #expect(try await outbox.drain(send: receiver.send) == .waitingForUnlock)
        device.advance(by: .seconds(72 * 3600 + 60))
        #expect(device.lockState == .beforeFirstUnlock)
        let next = try device.volume.outbox("Outbox")
        #expect(try await next.drain(send: receiver.send) == .waitingForUnlock)
        try device.unlock(passcode: "1234")
        #expect(try await next.drain(send: receiver.send) == .drained(5))
        #expect(receiver.bodies == (0..<5).map { "\($0)" } && receiver.keyCount == 5)
    }
}
