import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// What people and apps decide while a drain runs, or after it has failed.
@Suite("Decisions about an outbox", .timeLimit(.minutes(30))) struct OutboxDecisionTests {
    private static func until(_ what: () async throws -> Bool) async throws {
        for _ in 0..<1_000_000 {
            if try await what() { return }
            await Task.yield()
        }
        Issue.record("it never came to be so")
    }

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
        rig.receiver.answer { item in
            if item.id == 1, item.attempt == 1 { throw OutboxFailure.refused() }
            if item.id == 3 { try await outbox.retry(1) }
        }
        rig.receiver.answer { [receiver = rig.receiver] item in
            let isFirst = receiver.bodies.count { $0 == "1" } == 1
            if item.id == 1, isFirst { throw OutboxFailure.refused() }
            if item.id == 3 { try await outbox.retry(1) }
        }
        #expect(try await rig.drain() == .drained(3))
        #expect(rig.receiver.bodies == ["1", "2", "3", "1"])
    }

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
            try await Self.until { receiver.arrivals.count == 25 + number }
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
        try await Self.until { receiver.arrivals.count == 1 }
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
        try await Self.until { receiver.arrivals.count == 1 }
        await rig.clock.waitForSleepers(1)
        rig.setWall(by: 700)
        let other = Task { try await outbox.drain(send: receiver.send) }
        try await Self.until { gate.withLock { $0 != nil } }
        rig.clock.advance(by: .seconds(11))
        for _ in 0..<200 { await Task.yield() }
        gate.withLock { $0 }?.resume()
        _ = try await other.value
        for _ in 0..<500 { await Task.yield() }
        #expect(receiver.arrivals.map(\.attempt) == [1, 2])
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
        try await Self.until { receiver.arrivals.count == 1 }
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
        try await Self.until { receiver.arrivals.count == 1 }
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
        try await Self.until { gate.withLock { $0 != nil } }
        let running = Task { try await outbox.run(send: receiver.send) }
        for _ in 0..<100 { await Task.yield() }
        gate.withLock { $0 }?.resume()
        await #expect(throws: NoAddress.self) { try await foreign.value }
        try await Self.until { receiver.bodies == ["0"] }
        try await Self.until { await outbox.status.activity == .idle }
        for _ in 0..<100 { await Task.yield() }
        try rig.volume.close()
        await #expect { try await running.value } throws: { $0.protectionError?.code == .closed }
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
