import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// What people and apps decide while a drain runs, or after it has failed.
@Suite("Decisions about an outbox", .timeLimit(.minutes(30))) struct OutboxDecisionTests {
    @Test func `an item that was set aside and is retried comes before what is behind it`()
        async throws
    {
        var options = OutboxOptions()
        options.refusedItems = .setAside
        let rig = try OutboxRig(options)
        for number in 1...4 { try await rig.save("\(number)") }
        rig.receiver.answer { item in
            if item.id == 1 { throw OutboxFailure.refused() }
            if item.id == 2 { throw OutboxFailure.tryLater(after: .seconds(60)) }
        }
        guard case .waitingForRetry = try await rig.drain() else {
            Issue.record("it does not wait")
            return
        }
        rig.receiver.answer(nil)
        try await rig.outbox.retry(1)
        guard case .waitingForRetry = try await rig.drain() else {
            Issue.record("it does not wait")
            return
        }
        rig.pass(61)
        #expect(try await rig.drain() == .drained(3))
        #expect(rig.receiver.bodies == ["1", "2", "1", "2", "3", "4"])
    }

    @Test func `an item that is retried during a drain is sent by that drain`() async throws {
        var options = OutboxOptions()
        options.refusedItems = .setAside
        let rig = try OutboxRig(options)
        for number in 1...3 { try await rig.save("\(number)") }
        let outbox = rig.outbox
        rig.receiver.answer { [receiver = rig.receiver] item in
            let isFirst = receiver.bodies.count { $0 == "1" } == 1
            if item.id == 1, isFirst { throw OutboxFailure.refused() }
            if item.id == 3 { try await outbox.retry(1) }
        }
        #expect(try await rig.drain() == .drained(3))
        #expect(rig.receiver.bodies == ["1", "2", "3", "1"])
    }

    @Test func `a closure that makes another error of a cancellation has not failed`() async throws
    {
        let rig = try OutboxRig()
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        try await rig.save("0")
        receiver.answer { _ in
            try? await Task.sleep(for: .seconds(1000))
            throw CocoaError(.userCancelled)
        }
        let drain = Task { try await outbox.drain(send: receiver.send) }
        try await becomesTrue { receiver.arrivals.count == 1 }
        drain.cancel()
        await #expect(throws: CancellationError.self) { try await drain.value }
        #expect(try await outbox.items().map(\.state) == [.pending])
        receiver.answer(nil)
        #expect(try await rig.drain() == .drained(1))
    }

    @Test(arguments: 0..<6)
    func `a decision that could not be written down can be taken again`(failing: Int) async throws {
        for decision in ["pause", "resume", "drop", "retry", "export"] {
            let device = try SimulatedDevice()
            let outbox = try device.volume.outbox("Outbox")
            let receiver = Receiver()
            let id = try await outbox.save(Data("0".utf8))
            if decision == "resume" { try await outbox.pause() }
            if decision == "retry" {
                receiver.answer { _ in throw OutboxFailure.refused() }
                _ = try await outbox.drain(send: receiver.send)
                receiver.forget()
                receiver.answer(nil)
            }
            @Sendable func decide() async throws {
                switch decision {
                case "pause": try await outbox.pause()
                case "resume": try await outbox.resume()
                case "drop": try await outbox.drop(id)
                case "retry": try await outbox.retry(id)
                default: try await outbox.export(id) { _ in }
                }
            }
            device.failNextHostCalls(1, after: failing)
            // What failed may have been done all the same, and then there is nothing left to do.
            do { try await decide() } catch {
                do { try await decide() } catch {
                    #expect(error.protectionError?.code == .missing, "\(decision) \(failing)")
                }
            }
            device.failNextHostCalls(0)
            try device.cutPower(seed: UInt64(failing))
            try device.boot()
            try device.unlock(passcode: "1234")
            let next = try device.volume.outbox("Outbox")
            let status = try await next.drain(send: receiver.send)
            switch decision {
            case "pause": #expect(status == .paused, "\(failing)")
            case "drop", "export":
                #expect(receiver.arrivals.isEmpty, "\(decision) \(failing)")
            default: #expect(receiver.bodies == ["0"], "\(decision) \(failing)")
            }
        }
    }

    @Test func `credentials that are renewed while the old ones are tried are used`() async throws {
        let rig = try OutboxRig()
        let outbox = rig.outbox
        try await rig.save("0")
        rig.receiver.answer { [receiver = rig.receiver] _ in
            guard receiver.arrivals.count == 1 else { return }
            await outbox.authenticationRenewed()
            throw OutboxFailure.needsAuthentication
        }
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.arrivals.map(\.attempt) == [1, 1])
    }

    @Test func `a refusal's words go with the item, also when a crash came between`() async throws {
        let device = try SimulatedDevice()
        let words = String(repeating: "é", count: 3000) + "x"
        for failing in 0..<8 {
            let outbox = try device.volume.outbox("Outbox \(failing)")
            let id = try await outbox.save(Data("0".utf8))
            _ = try await outbox.drain { _ in throw OutboxFailure.refused(words) }
            let kept = try #require(try await outbox.refusalText(of: id))
            #expect(words.hasPrefix(kept) && kept.utf8.count == 4096)
            device.failNextHostCalls(1, after: failing)
            try? await outbox.drop(id)
            device.failNextHostCalls(0)
            try device.killApp()
            let next = try device.volume.outbox("Outbox \(failing)")
            if try await next.items().isEmpty {
                #expect(try await next.refusalText(of: id) == nil, "\(failing)")
            }
        }
    }

    @Test func `a caller that is cancelled does not wait for another's drain`() async throws {
        let rig = try OutboxRig()
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        try await rig.save("0")
        receiver.answer { _ in try await Task.sleep(for: .seconds(1000)) }
        let first = Task { try await outbox.drain(send: receiver.send) }
        defer { first.cancel() }
        try await becomesTrue { receiver.arrivals.count == 1 }
        let second = Task { try await outbox.drain(send: receiver.send) }
        for _ in 0..<100 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test func `a closure can drop its own item, and cannot drain`() async throws {
        let rig = try OutboxRig()
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        try await rig.save("0")
        try await rig.save("1")
        receiver.answer { item in
            await #expect { try await outbox.drain(send: receiver.send) } throws: {
                $0.protectionError?.code == .invalidArgument
            }
            if item.id == 1 {
                try await outbox.drop(1)
                throw CocoaError(.userCancelled)
            }
        }
        #expect(try await rig.drain() == .drained(1))
        #expect(receiver.bodies == ["0", "1"])
        #expect(try await outbox.items().isEmpty)
        #expect(await outbox.status.pendingCount == 0)
    }

    @Test func `an item that is dropped while it is sent does not stop the others`() async throws {
        let rig = try OutboxRig()
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        for number in 0..<3 { try await rig.save("\(number)") }
        receiver.answer { item in
            if item.id == 1 { try await Task.sleep(for: .seconds(1000)) }
        }
        let drain = Task { try await outbox.drain(send: receiver.send) }
        try await becomesTrue { receiver.arrivals.count == 1 }
        try await outbox.drop(1)
        #expect(try await drain.value == .drained(2))
        #expect(receiver.bodies == ["0", "1", "2"])
    }

    @Test func `another drain's failure does not end a run, and closing does at once`() async throws
    {
        struct NoAddress: Error {}
        let rig = try OutboxRig()
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        try await rig.save("0")
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let foreign = Task {
            try await outbox.drain { _ in
                await withCheckedContinuation { continuation in gate.withLock { $0 = continuation }
                }
                throw OutboxUnavailable(NoAddress())
            }
        }
        try await becomesTrue { gate.withLock { $0 != nil } }
        let running = Task { try await outbox.run(send: receiver.send) }
        for _ in 0..<100 { await Task.yield() }
        gate.withLock { $0 }?.resume()
        await #expect(throws: NoAddress.self) { try await foreign.value }
        try await becomesTrue { receiver.bodies == ["0"] }
        try await becomesTrue { await outbox.status.activity == .idle }
        for _ in 0..<100 { await Task.yield() }
        try rig.volume.close()
        await #expect { try await running.value } throws: { $0.protectionError?.code == .closed }
    }
}
