import DataProtection
import Foundation
import Synchronization
import Testing

@Suite("Draining an outbox", .timeLimit(.minutes(30))) struct DrainTests {
    @Test func `two drains at once send each item once`() async throws {
        let rig = try OutboxRig()
        for number in 0..<20 { try await rig.save("\(number)") }
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        receiver.answer { _ in for _ in 0..<5 { await Task.yield() } }
        try await withThrowingTaskGroup(of: DrainStatus.self) { group in
            for _ in 0..<4 { group.addTask { try await outbox.drain(send: receiver.send) } }
            // Those that come later wait for the one that runs; one that comes last finds nothing.
            for try await status in group { #expect([.drained(20), .drained(0)].contains(status)) }
        }
        #expect(receiver.bodies == (0..<20).map { "\($0)" })
    }

    @Test func `a drain that joined another goes on when that one is cancelled`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        receiver.answer { item in
            if item.attempt == 1 { try await Task.sleep(for: .seconds(1000)) }
        }
        let first = Task { try await outbox.drain(send: receiver.send) }
        while receiver.arrivals.isEmpty { await Task.yield() }
        let second = Task { try await outbox.drain(send: receiver.send) }
        for _ in 0..<100 { await Task.yield() }
        first.cancel()
        #expect(try await second.value == .drained(1))
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(receiver.arrivals.map(\.attempt) == [1, 2])
        #expect(receiver.keyCount == 1)
    }

    @Test func `a lock during a send lets it end, records it, and stops before the next`()
        async throws
    {
        let rig = try OutboxRig()
        for number in 0..<3 { try await rig.save("\(number)") }
        let volume = rig.volume
        rig.receiver.answer { item in if item.body == Data("1".utf8) { volume.lock() } }
        #expect(try await rig.drain() == .waitingForUnlock)
        #expect(rig.receiver.bodies == ["0", "1"])
        #expect(await rig.outbox.status.pendingCount == 1)
        #expect(await rig.outbox.status.activity == .waiting(.waitingForUnlock))
        try rig.unlock()
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.bodies == ["0", "1", "2"])
    }

    @Test func `waiting for the unlock uses up no attempt`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        rig.volume.lock()
        for _ in 0..<10 { #expect(try await rig.drain() == .waitingForUnlock) }
        #expect(try await rig.outbox.items().map(\.attemptCount) == [0])
        #expect(try await rig.outbox.items().map(\.state) == [.pending])
        #expect(try await rig.outbox.items().map(\.isSealed) == [true])
        try rig.unlock()
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.arrivals.map(\.attempt) == [1])
    }

    @Test func `items that may be sent while locked are`() async throws {
        var options = OutboxOptions()
        options.protectionClass = .completeUntilFirstUserAuthentication
        let rig = try OutboxRig(options)
        try await rig.save("a")
        rig.volume.lock()
        try await rig.save("b")
        #expect(try await rig.drain() == .drained(2))
        try rig.reboot()
        try await rig.save("c")
        #expect(try await rig.drain() == .waitingForUnlock)
    }

    @Test func `a failed attempt waits, and the key stays`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        try await rig.save("b")
        struct Broken: Error {}
        rig.receiver.answer { item in if item.attempt < 3 { throw Broken() } }
        for attempt in 1...2 {
            guard case .waitingForRetry(let until) = try await rig.drain() else {
                Issue.record("attempt \(attempt) does not wait")
                return
            }
            let summary = try #require(try await rig.outbox.items().first)
            #expect(summary.attemptCount == attempt)
            #expect(summary.state == .waitingForRetry(until: until))
            #expect(summary.lastReason == .failed)
            try rig.restart()
            rig.pass(10)
        }
        _ = try await rig.drain()
        rig.pass(10)
        rig.receiver.answer(nil)
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.arrivals.map(\.attempt) == [1, 2, 3, 1, 2])
        #expect(rig.receiver.keyCount == 2)
    }

    @Test func `an item is not tried before its time`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        rig.receiver.answer { _ in throw OutboxFailure.tryLater(after: .seconds(100)) }
        let waiting = DrainStatus.waitingForRetry(until: Date(timeIntervalSince1970: 1_000_100))
        #expect(try await rig.drain() == waiting)
        rig.pass(99)
        #expect(try await rig.drain() == waiting)
        try rig.restart()
        #expect(try await rig.drain() == waiting)
        #expect(rig.receiver.arrivals.count == 1)
        rig.pass(1)
        rig.receiver.answer(nil)
        #expect(try await rig.drain() == .drained(1))
    }

    @Test func `a network that comes back ends the wait`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        rig.receiver.answer { _ in throw OutboxFailure.tryLater(after: .seconds(100)) }
        _ = try await rig.drain()
        rig.receiver.answer(nil)
        await rig.outbox.retryNow()
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.arrivals.map(\.attempt) == [1, 2])
    }

    @Test func `a clock that was set back keeps nothing waiting`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        rig.receiver.answer { _ in throw OutboxFailure.tryLater(after: .seconds(100)) }
        _ = try await rig.drain()
        rig.setWall(by: -1_000_000)
        rig.receiver.answer(nil)
        #expect(try await rig.drain() == .drained(1))
    }

    @Test func `three bad items are tried as often as is allowed, and no more`() async throws {
        var options = OutboxOptions()
        options.attemptLimit = 5
        options.refusedItems = .setAside
        let rig = try OutboxRig(options)
        struct Broken: Error {}
        for number in 0..<3 { try await rig.save("bad \(number)") }
        for number in 0..<3 { try await rig.save("good \(number)") }
        rig.receiver.answer { item in
            if item.body.starts(with: Data("bad".utf8)) { throw Broken() }
        }
        for _ in 0..<100 {
            if case .drained = try await rig.drain() { break }
            rig.pass(700)
        }
        #expect(rig.receiver.arrivals.filter { $0.body.hasPrefix("bad") }.count == 15)
        #expect(rig.receiver.bodies.suffix(3) == ["good 0", "good 1", "good 2"])
        let states = try await rig.outbox.items().map(\.state)
        #expect(states == Array(repeating: .setAside(.attemptLimit), count: 3))
    }

    @Test func `what asks for another try later is tried without limit`() async throws {
        var options = OutboxOptions()
        options.attemptLimit = 2
        let rig = try OutboxRig(options)
        try await rig.save("a")
        rig.receiver.answer { _ in throw OutboxFailure.tryLater() }
        for _ in 0..<30 {
            guard case .waitingForRetry = try await rig.drain() else {
                Issue.record("it does not wait")
                return
            }
            rig.pass(700)
        }
        #expect(try await rig.outbox.items().map(\.attemptCount) == [30])
    }

    @Test func `an item that is refused stops the lane until somebody decides`() async throws {
        let rig = try OutboxRig()
        let ids = [try await rig.save("0"), try await rig.save("1"), try await rig.save("2")]
        rig.receiver.answer { item in
            if item.id == ids[1], item.attempt == 1 { throw OutboxFailure.refused("no such user") }
        }
        let report = try await rig.outbox.drainReport(send: rig.receiver.send)
        #expect(report.status == .blocked(ids[1], .refused))
        #expect(report.sentCount == 1 && report.quarantinedCount == 1 && report.remainingCount == 1)
        #expect(try await rig.outbox.refusalText(of: ids[1]) == "no such user")
        try rig.restart()
        for _ in 0..<3 { #expect(try await rig.drain() == .blocked(ids[1], .refused)) }
        #expect(rig.receiver.bodies == ["0", "1"])
        #expect(try await rig.outbox.items().map(\.state) == [.blocked(.refused), .pending])
        // What the receiver said is as private as the item.
        #expect(try await rig.outbox.refusalText(of: ids[1]) == "no such user")
        rig.volume.lock()
        let outbox = rig.outbox
        await #expect { try await outbox.refusalText(of: ids[1]) } throws: { $0.isLocked }
        #expect(try await rig.drain() == .blocked(ids[1], .refused))
        try rig.unlock()
        try await rig.outbox.retry(ids[1])
        #expect(try await rig.outbox.refusalText(of: ids[1]) == nil)
        rig.receiver.answer(nil)
        #expect(try await rig.drain() == .drained(2))
        #expect(rig.receiver.bodies == ["0", "1", "1", "2"])
        #expect(rig.receiver.arrivals[1].key == rig.receiver.arrivals[2].key)
    }

    @Test func `what is saved behind a refused item waits, and is not refused with it`()
        async throws
    {
        let rig = try OutboxRig()
        let bad = try await rig.save("bad")
        rig.receiver.answer { _ in throw OutboxFailure.refused() }
        #expect(try await rig.drain() == .blocked(bad, .refused))
        rig.receiver.answer(nil)
        try await rig.save("later")
        #expect(try await rig.drain() == .blocked(bad, .refused))
        try await rig.outbox.drop(bad)
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.bodies == ["bad", "later"])
    }

    @Test func `refused credentials stop everything and use up no attempt`() async throws {
        let rig = try OutboxRig()
        for number in 0..<3 { try await rig.save("\(number)") }
        rig.receiver.answer { _ in throw OutboxFailure.needsAuthentication }
        #expect(try await rig.drain() == .waitingForAuthentication)
        #expect(try await rig.drain() == .waitingForAuthentication)
        #expect(rig.receiver.arrivals.count == 1)
        #expect(try await rig.outbox.items().map(\.attemptCount) == [0, 0, 0])
        rig.receiver.answer(nil)
        await rig.outbox.authenticationRenewed()
        #expect(try await rig.drain() == .drained(3))
        #expect(rig.receiver.bodies == ["0", "0", "1", "2"])
    }

    @Test func `a pause outlasts the process`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        try await rig.outbox.pause()
        try rig.restart()
        #expect(try await rig.drain() == .paused)
        #expect(await rig.outbox.status.activity == .waiting(.paused))
        try await rig.outbox.resume()
        try rig.restart()
        #expect(try await rig.drain() == .drained(1))
    }

    @Test func `a closure that needs a sealed file of its own waits for the unlock`() async throws {
        let rig = try OutboxRig()
        try await rig.save("a")
        try rig.volume.write([1], to: "token", class: .complete)
        let volume = rig.volume
        rig.receiver.answer { _ in
            volume.lock()
            _ = try volume.read("token")
        }
        #expect(try await rig.drain() == .waitingForUnlock)
        #expect(try await rig.outbox.items().map(\.attemptCount) == [0])
    }

    @Test func `a closure that cannot send at all ends the drain, and uses up no attempt`()
        async throws
    {
        struct NoAddress: Error {}
        let rig = try OutboxRig()
        for number in 0..<2 { try await rig.save("\(number)") }
        rig.receiver.answer { _ in throw OutboxUnavailable(NoAddress()) }
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        await #expect(throws: NoAddress.self) { try await outbox.drain(send: receiver.send) }
        #expect(receiver.arrivals.count == 1)
        #expect(try await outbox.items().map(\.attemptCount) == [0, 0])
        receiver.answer(nil)
        #expect(try await rig.drain() == .drained(2))
    }

    @Test func `an item that is too old is kept for a person`() async throws {
        var options = OutboxOptions()
        options.longestAge = .seconds(3600)
        let rig = try OutboxRig(options)
        let old = try await rig.save("old")
        rig.pass(3601)
        try await rig.save("new")
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.bodies == ["new"])
        #expect(try await rig.outbox.items().map(\.state) == [.setAside(.expired)])
        #expect(try await rig.outbox.item(old).body == Data("old".utf8))
    }
}
