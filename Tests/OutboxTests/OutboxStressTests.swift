import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("An outbox under load", .timeLimit(.minutes(30)), .serialized) struct OutboxStressTests {
    /// Row 20 of the crash matrix, and nextcloud/ios#2225.
    @Test func `ten thousand locks during a drain of a thousand items: each is sent once`()
        async throws
    {
        let rig = try OutboxRig()
        let count = 1000
        for number in 0..<count { try await rig.save("\(number)") }
        let volume = rig.volume
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        receiver.answer { _ in await Task.yield() }
        let cycles = Atomic(0)
        let locking = Task.detached {
            let passcode = try Passcode(OutboxRig.passcode)
            while cycles.load(ordering: .relaxed) < 10_000 {
                volume.lock()
                try volume.unlock(passcode: passcode)
                cycles.add(1, ordering: .relaxed)
                await Task.yield()
            }
        }
        var sent = 0
        var waits = 0
        while sent < count {
            let report = try await outbox.drainReport(send: receiver.send)
            sent += report.sentCount
            switch report.status {
            case .drained: #expect(sent == count)
            case .waitingForUnlock: waits += 1
            default: Issue.record("\(report.status)")
            }
            #expect(report.remainingCount == count - sent)
        }
        try await locking.value
        #expect(receiver.bodies == (0..<count).map { "\($0)" })
        #expect(receiver.keyCount == count)
        #expect(receiver.arrivals.allSatisfy { $0.attempt == 1 })
        #expect(try await outbox.items().isEmpty)
        print("outbox locks: 10000 cycles, \(waits) drains that waited, \(sent) sent")
    }

    /// Reboots to before the first unlock, with everything waiting: rows 13 and 14.
    @Test func `a hundred items outlast reboots and a change of the passcode`() async throws {
        let rig = try OutboxRig()
        for number in 0..<50 { try await rig.save("\(number)") }
        try rig.volume.changePasscode(
            from: Passcode(OutboxRig.passcode), to: Passcode("5678"))
        try rig.volume.changePasscode(
            from: Passcode("5678"), to: Passcode(OutboxRig.passcode))
        rig.volume.lock()
        for number in 50..<100 { try await rig.save("\(number)") }
        for _ in 0..<3 {
            try rig.reboot()
            #expect(try await rig.drain() == .waitingForUnlock)
        }
        try rig.unlock()
        #expect(try await rig.drain() == .drained(100))
        #expect(rig.receiver.bodies == (0..<100).map { "\($0)" })
    }

    @Test func `a long life keeps the log short, and empties its shelves`() async throws {
        let rig = try OutboxRig()
        for round in 0..<30 {
            for number in 0..<100 { try await rig.save("\(round)-\(number)") }
            #expect(try await rig.drain() == .drained(100))
        }
        #expect(try rig.volume.attributes(of: "Outbox/log").size < 100_000)
        #expect(try rig.volume.list("Outbox").count <= 3)
        try rig.restart()
        #expect(try await rig.drain() == .drained(0))
        #expect(try await rig.save("next") == 3001)
        #expect(rig.receiver.keyCount == 3000)
    }

    @Test func `a crash after the log was shortened sends nothing again`() async throws {
        let rig = try OutboxRig()
        for number in 0..<1500 { try await rig.save("\(number)") }
        #expect(try await rig.drain() == .drained(1500))
        rig.volume.abandon()
        try rig.restart()
        #expect(try await rig.drain() == .drained(0))
    }
}
