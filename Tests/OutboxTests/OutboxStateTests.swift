import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// What an outbox says of itself, and when it tries again.
@Suite("The state and the times of an outbox", .timeLimit(.minutes(30))) struct OutboxStateTests {
    @Test func `an unlock that comes before a sealed file is said to be sealed is not missed`()
        async throws
    {
        let rig = try OutboxRig()
        try await rig.save("0")
        try rig.volume.write([1], to: "token", class: .complete)
        let volume = rig.volume
        rig.receiver.answer { item in
            guard item.attempt == 1, volume.isProtectedDataAvailable else { return }
            volume.lock()
            do {
                _ = try volume.read("token")
            } catch {
                try volume.unlock(passcode: Passcode(OutboxRig.passcode))
                throw error
            }
        }
        let tries = Mutex(0)
        let receiver = rig.receiver
        let answer = receiver.send
        let status = try await rig.outbox.drain { item in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number == 1 { try await answer(item) }
        }
        #expect(status == .drained(1))
        #expect(tries.withLock { $0 } == 2)
    }

    @Test func `only failures that say nothing count against the limit`() async throws {
        var options = OutboxOptions()
        options.attemptLimit = 2
        let rig = try OutboxRig(options)
        struct Broken: Error {}
        try await rig.save("0")
        rig.receiver.answer { _ in throw OutboxFailure.tryLater() }
        for _ in 0..<25 {
            _ = try await rig.drain()
            rig.pass(700)
        }
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        receiver.answer { _ in try await Task.sleep(for: .seconds(1000)) }
        for number in 1...25 {
            let drain = Task { try await outbox.drain(send: receiver.send) }
            try await becomesTrue { receiver.arrivals.count == 25 + number }
            drain.cancel()
            await #expect(throws: CancellationError.self) { try await drain.value }
        }
        receiver.answer { _ in throw Broken() }
        guard case .waitingForRetry = try await rig.drain() else {
            Issue.record("it does not wait")
            return
        }
        try rig.restart()
        rig.pass(700)
        #expect(try await rig.drain() == .blocked(1, .attemptLimit))
        #expect(try await rig.outbox.items().map(\.attemptCount) == [52])
    }

    @Test func `a hint is kept to the millisecond`() async throws {
        let rig = try OutboxRig()
        try await rig.save("0")
        rig.receiver.answer { _ in throw OutboxFailure.tryLater(after: .seconds(2)) }
        rig.pass(milliseconds: 900)
        _ = try await rig.drain()
        rig.receiver.answer(nil)
        rig.pass(milliseconds: 1999)
        guard case .waitingForRetry = try await rig.drain() else {
            Issue.record("it came too early")
            return
        }
        rig.pass(milliseconds: 1)
        #expect(try await rig.drain() == .drained(1))
    }

    @Test func `a wait that is over says nothing of the next one`() async throws {
        let rig = try OutboxRig()
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        receiver.answer { item in
            if item.attempt == 1 { throw OutboxFailure.tryLater(after: .seconds(10)) }
            await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
            throw OutboxFailure.tryLater(after: .seconds(3600))
        }
        try await rig.save("0")
        let running = Task { try await outbox.run(send: receiver.send) }
        defer { running.cancel() }
        try await becomesTrue { receiver.arrivals.count == 1 }
        await rig.clock.waitForSleepers(1)
        rig.setWall(by: 700)
        let other = Task { try await outbox.drain(send: receiver.send) }
        try await becomesTrue { gate.withLock { $0 != nil } }
        rig.clock.advance(by: .seconds(11))
        for _ in 0..<200 { await Task.yield() }
        gate.withLock { $0 }?.resume()
        _ = try await other.value
        for _ in 0..<500 { await Task.yield() }
        #expect(receiver.arrivals.map(\.attempt) == [1, 2])
    }

    @Test func `an expired item that is retried is sent, also after a restart`() async throws {
        var options = OutboxOptions()
        options.longestAge = .seconds(60)
        let rig = try OutboxRig(options)
        let id = try await rig.save("0")
        rig.pass(61)
        #expect(try await rig.drain() == .drained(0))
        try await rig.outbox.retry(id)
        try rig.restart()
        #expect(try await rig.drain() == .drained(1))
    }

    @Test func `the status is what holds now, not what a drain once said`() async throws {
        let rig = try OutboxRig()
        let outbox = rig.outbox
        let id = try await rig.save("0")
        try await outbox.pause()
        _ = try await rig.drain()
        #expect(await outbox.status.activity == .waiting(.paused))
        try await outbox.resume()
        #expect(await outbox.status.activity == .idle)
        rig.receiver.answer { _ in throw OutboxFailure.needsAuthentication }
        _ = try await rig.drain()
        #expect(await outbox.status.activity == .waiting(.waitingForAuthentication))
        await outbox.authenticationRenewed()
        #expect(await outbox.status.activity == .idle)
        rig.receiver.answer { _ in throw OutboxFailure.refused() }
        _ = try await rig.drain()
        #expect(await outbox.status.activity == .waiting(.blocked(id, .refused)))
        #expect(await outbox.status.oldest == nil)
        try await outbox.retry(id)
        #expect(await outbox.status.activity == .idle)
        #expect(await outbox.status.oldest != nil)
        try await outbox.drop(id)
        #expect(await outbox.status.oldest == nil)
        rig.volume.lock()
        try await rig.save("1")
        _ = try await rig.drain()
        #expect(await outbox.status.activity == .waiting(.waitingForUnlock))
        try rig.unlock()
        #expect(await outbox.status.activity == .idle)
    }

    @Test func `no time is too long or too far away`() async throws {
        var options = OutboxOptions()
        options.sendDeadline = .seconds(Int64.max)
        options.longestWait = .seconds(Int64.max)
        let device = try DeviceKey.inMemory()
        let volume = try ProtectedVolume.inMemory(passcode: nil, deviceKey: device)
        let outbox = try volume.outbox("Outbox", options: options)
        try await outbox.save(Data([1]))
        #expect(
            try await outbox.drain { item in
                if item.attempt == 1 { throw OutboxFailure.tryLater(after: .seconds(Int64.max)) }
            } != .drained(1))
        await outbox.retryNow()
        #expect(try await outbox.drain { _ in } == .drained(1))
        let running = Task { try await outbox.run { _ in } }
        for _ in 0..<100 { await Task.yield() }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 9e12)] {
            let device = try SimulatedDevice(SimulatedDevice.Options(startTime: date))
            let outbox = try device.volume.outbox("Outbox")
            let id = try await outbox.save(Data([1]))
            let savedAt = try await outbox.item(id).savedAt
            #expect(abs(savedAt.timeIntervalSince(date)) < 1)
            #expect(try await outbox.drain { _ in } == .drained(1))
        }
    }

    @Test func `the outbox goes by the date that the device shows`() async throws {
        let device = try SimulatedDevice()
        let outbox = try device.volume.outbox("Outbox")
        let receiver = Receiver()
        receiver.answer { _ in throw OutboxFailure.tryLater(after: .seconds(600)) }
        device.setWallClock(to: Date(timeIntervalSince1970: 1_900_000_000))
        let id = try await outbox.save(Data("0".utf8))
        #expect(try await outbox.item(id).savedAt == device.wallClock)
        guard case .waitingForRetry(let until) = try await outbox.drain(send: receiver.send) else {
            Issue.record("it does not wait")
            return
        }
        #expect(until == device.wallClock + 600)
        receiver.answer(nil)
        // A date that somebody sets back tells nothing of the wait, and must not make it longer.
        device.setWallClock(to: Date(timeIntervalSince1970: 1_000_000_000))
        #expect(try await outbox.drain(send: receiver.send) == .drained(1))
    }
}
