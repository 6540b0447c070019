import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("An outbox that runs by itself", .timeLimit(.minutes(30))) struct OutboxRunTests {
    /// Waits until something is so.
    private static func start(_ rig: OutboxRig) -> Task<Void, any Error> {
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        return Task { try await outbox.run(send: receiver.send) }
    }

    @Test func `sends what is saved later, and after each unlock`() async throws {
        let rig = try OutboxRig()
        let running = Self.start(rig)
        let (receiver, outbox) = (rig.receiver, rig.outbox)
        try await rig.save("0")
        try await becomesTrue { receiver.bodies == ["0"] }
        rig.volume.lock()
        try await rig.save("1")
        try await becomesTrue {
            await outbox.status.activity == .waiting(.waitingForUnlock)
        }
        try rig.unlock()
        try await becomesTrue { receiver.bodies == ["0", "1"] }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test func `tries again in time, also when the clock on the wall stands still`() async throws {
        let rig = try OutboxRig()
        rig.receiver.answer { item in if item.attempt < 4 { throw OutboxFailure.tryLater() } }
        let running = Self.start(rig)
        defer { running.cancel() }
        try await rig.save("0")
        let receiver = rig.receiver
        for attempt in 1...4 {
            try await becomesTrue { receiver.arrivals.count >= attempt }
            for _ in 0..<20 where receiver.arrivals.count == attempt {
                rig.clock.advance(by: .seconds(1))
                for _ in 0..<50 { await Task.yield() }
            }
        }
        let outbox = rig.outbox
        try await becomesTrue { try await outbox.items().isEmpty }
        #expect(receiver.arrivals.map(\.attempt) == [1, 2, 3, 4])
    }

    @Test func `looks again by itself when it was told nothing`() async throws {
        let rig = try OutboxRig()
        let id = try await rig.save("0")
        // Taken away, so that its return is told to nobody.
        let path = try rig.path(of: id)
        try rig.volume.rename(path, to: "elsewhere")
        let running = Self.start(rig)
        defer { running.cancel() }
        await rig.clock.waitForSleepers(1)
        #expect(rig.receiver.arrivals.isEmpty)
        let shelf = path.split(separator: "/").dropLast().joined(separator: "/")
        try? rig.volume.makeFolder(shelf)
        try rig.volume.rename("elsewhere", to: path)
        let receiver = rig.receiver
        for _ in 0..<100 where receiver.arrivals.isEmpty {
            rig.clock.advance(by: rig.options.longestWait)
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(receiver.bodies == ["0"])
    }

    @Test func `goes on when there are new credentials`() async throws {
        let rig = try OutboxRig()
        rig.receiver.answer { _ in throw OutboxFailure.needsAuthentication }
        let running = Self.start(rig)
        defer { running.cancel() }
        try await rig.save("0")
        let (receiver, outbox) = (rig.receiver, rig.outbox)
        try await becomesTrue {
            await outbox.status.activity == .waiting(.waitingForAuthentication)
        }
        receiver.answer(nil)
        await outbox.authenticationRenewed()
        try await becomesTrue { receiver.arrivals.count == 2 }
    }

    @Test func `a closure that never returns costs its attempt, and the others go on`() async throws
    {
        var options = OutboxOptions()
        options.refusedItems = .setAside
        options.attemptLimit = 2
        options.sendDeadline = .seconds(30)
        let rig = try OutboxRig(options)
        let receiver = rig.receiver
        receiver.answer { item in
            guard item.body == Data("stuck".utf8) else { return }
            // Deaf to cancelling.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        let stuck = try await rig.save("stuck")
        try await rig.save("fine")
        let running = Self.start(rig)
        defer { running.cancel() }
        let outbox = rig.outbox
        for _ in 0..<400 where receiver.arrivals.count < 3 {
            rig.pass(5)
            for _ in 0..<50 { await Task.yield() }
        }
        try await becomesTrue { await outbox.status.pendingCount == 0 }
        #expect(receiver.arrivals.map(\.body) == ["stuck", "stuck", "fine"])
        let summary = try #require(try await outbox.items().first)
        #expect(summary.id == stuck && summary.state == .setAside(.attemptLimit))
    }

    @Test func `what is being sent can be dropped, and is not sent any more`() async throws {
        let rig = try OutboxRig()
        let receiver = rig.receiver
        receiver.answer { _ in try await Task.sleep(for: .seconds(1000)) }
        let id = try await rig.save("0")
        let running = Self.start(rig)
        defer { running.cancel() }
        try await becomesTrue { receiver.arrivals.count == 1 }
        #expect(try await rig.outbox.items().map(\.state) == [.sending])
        let outbox = rig.outbox
        await #expect { try await outbox.export(id) { _ in } } throws: {
            $0.protectionError?.code == .busy
        }
        try await rig.outbox.drop(id)
        for _ in 0..<1000 { await Task.yield() }
        #expect(receiver.arrivals.count == 1)
        await #expect { try await outbox.drop(id) } throws: { $0.protectionError?.code == .missing }
        try rig.restart()
        #expect(try await rig.drain() == .drained(0))
    }

    @Test func `an export hands the item over, and only then removes it`() async throws {
        struct Full: Error {}
        let rig = try OutboxRig()
        let id = try await rig.save("0")
        let outbox = rig.outbox
        await #expect(throws: Full.self) { try await outbox.export(id) { _ in throw Full() } }
        #expect(try await outbox.items().count == 1)
        rig.volume.lock()
        await #expect { try await outbox.export(id) { _ in } } throws: { $0.isLocked }
        try rig.unlock()
        let body = Mutex<Data?>(nil)
        try await outbox.export(id) { item in body.withLock { $0 = item.body } }
        #expect(body.withLock { $0 } == Data("0".utf8))
        #expect(try await outbox.items().isEmpty)
    }

    @Test func `the status comes as it is, and says why nothing is sent`() async throws {
        let rig = try OutboxRig()
        let outbox = rig.outbox
        var statuses = await outbox.statuses.makeAsyncIterator()
        #expect(await statuses.next()?.activity == .idle)
        try await rig.save("four")
        var status = try #require(await statuses.next())
        #expect(status.pendingCount == 1 && status.byteCount == 4 && status.oldest != nil)
        rig.volume.lock()
        _ = try await rig.drain()
        status = try #require(await statuses.next())
        #expect(status.activity == .waiting(.waitingForUnlock))
        try rig.unlock()
        rig.receiver.answer { _ in throw OutboxFailure.refused() }
        let id = try #require(try await outbox.items().first?.id)
        _ = try await rig.drain()
        status = try #require(await statuses.next())
        #expect(status.activity == .waiting(.blocked(id, .refused)))
        #expect(status.quarantinedCount == 1 && status.pendingCount == 0)
        #expect(status.lastReason == .refused)
    }

    @Test func `the observer of the unlock is called, also when it is unlocked already`() throws {
        let rig = try OutboxRig()
        let count = Mutex(0)
        rig.volume.lock()
        let observation = rig.outbox.onUnlock { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 0)
        try rig.unlock()
        #expect(count.withLock { $0 } == 1)
        let other = rig.outbox.onUnlock { count.withLock { $0 += 10 } }
        #expect(count.withLock { $0 } == 11)
        observation.cancel()
        other.cancel()
    }
}
