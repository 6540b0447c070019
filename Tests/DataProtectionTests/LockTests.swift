import DataProtection
import Synchronization
import TestSupport
import Testing

/// What happens when a volume locks and unlocks, one step at a time.
@Suite struct `A lock` {
    private final class Log: Sendable {
        private let events = Mutex<[LockEvent]>([])
        var all: [LockEvent] { events.withLock { $0 } }
        func add(_ event: LockEvent) { events.withLock { $0.append(event) } }
    }

    @Test func `leaves the keys for the time of its grace`() async throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: .complete)
        rig.volume.lock(grace: .seconds(10))
        #expect(rig.volume.lockState == .grace)
        #expect(rig.volume.isProtectedDataAvailable)
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(9))
        await Task.yield()
        #expect(try rig.volume.read("f") == [1])
        try rig.volume.write([2], to: "f", class: .complete)
        rig.clock.advance(by: .seconds(1))
        while rig.volume.lockState == .grace { await Task.yield() }
        #expect(rig.volume.lockState == .locked)
        #expect(!rig.volume.isProtectedDataAvailable)
        #expect(refusal { _ = try rig.volume.read("f") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("f") == [2])
    }

    @Test func `is cancelled by an unlock during its grace, and nothing is posted`() async throws {
        let rig = try VolumeRig()
        let log = Log()
        let observation = rig.volume.observeLock { log.add($0) }
        rig.volume.lock(grace: .seconds(10))
        await rig.clock.waitForSleepers(1)
        try rig.unlock()
        #expect(rig.volume.lockState == .unlocked)
        rig.clock.advance(by: .seconds(100))
        try await Task.sleep(for: .milliseconds(20))
        #expect(rig.volume.lockState == .unlocked)
        #expect(log.all == [.current(.unlocked)])
        observation.cancel()
    }

    @Test func `of an earlier grace does not end a later one`() async throws {
        let rig = try VolumeRig()
        rig.volume.lock(grace: .seconds(10))
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(6))
        try rig.unlock()
        rig.volume.lock(grace: .seconds(10))
        await rig.clock.waitForSleepers(2)
        rig.clock.advance(by: .seconds(5))
        try await Task.sleep(for: .milliseconds(20))
        #expect(rig.volume.lockState == .grace)
        rig.clock.advance(by: .seconds(5))
        while rig.volume.lockState == .grace { await Task.yield() }
        #expect(rig.volume.lockState == .locked)
    }

    @Test func `without grace ends a grace that runs`() throws {
        let rig = try VolumeRig()
        rig.volume.lock(grace: .seconds(10))
        rig.volume.lock()
        #expect(rig.volume.lockState == .locked)
        rig.volume.lock()
        rig.volume.lock(grace: .seconds(10))
        #expect(rig.volume.lockState == .locked)
    }

    @Test func `does nothing before the first unlock`() throws {
        let rig = try VolumeRig()
        try rig.reboot()
        let log = Log()
        let observation = rig.volume.observeLock { log.add($0) }
        rig.volume.lock()
        rig.volume.lock(grace: .seconds(10))
        #expect(rig.volume.lockState == .beforeFirstUnlock)
        #expect(log.all == [.current(.beforeFirstUnlock)])
        observation.cancel()
    }

    @Test func `posts will, then did, and did again at the unlock`() async throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: .complete)
        let log = Log()
        let states = Mutex<[Bool]>([])
        let volume = rig.volume
        let observation = volume.observeLock { event in
            log.add(event)
            states.withLock { $0.append(volume.isProtectedDataAvailable) }
            // The last chance to use the data is still one.
            guard event == .willBecomeUnavailable else { return }
            #expect(Outcome { _ = try volume.read("f") } == .done)
        }
        rig.volume.lock(grace: .seconds(10))
        #expect(log.all == [.current(.unlocked)])
        await rig.passGrace()
        while log.all.count < 3 { await Task.yield() }
        #expect(refusal { try volume.unlock(passcode: Passcode("wrong")) } == .wrongPasscode)
        try rig.unlock()
        try rig.unlock()
        #expect(
            log.all == [
                .current(.unlocked), .willBecomeUnavailable, .didBecomeUnavailable,
                .didBecomeAvailable,
            ])
        #expect(states.withLock { $0 } == [true, true, false, true])
        observation.cancel()
        rig.volume.lock()
        #expect(log.all.count == 4)
    }

    @Test func `is told to late subscribers as the state they find`() throws {
        let rig = try VolumeRig()
        let log = Log()
        for state in TruthRow.states {
            try rig.enter(state)
            rig.volume.observeLock { log.add($0) }.cancel()
            if state != .unlocked { try rig.unlock() }
        }
        #expect(log.all == TruthRow.states.map { .current($0) })
    }

    @Test func `is told through a stream, the current state first`() async throws {
        let rig = try VolumeRig()
        var stream = rig.volume.lockEvents.makeAsyncIterator()
        rig.volume.lock()
        try rig.unlock()
        let expected: [LockEvent] = [
            .current(.unlocked), .willBecomeUnavailable, .didBecomeUnavailable,
            .didBecomeAvailable,
        ]
        for event in expected { #expect(await stream.next() == event) }
    }

    @Test func `that was announced and then cancelled is followed by did become available`()
        async throws
    {
        let rig = try VolumeRig()
        let log = Log()
        let volume = rig.volume
        let observation = volume.observeLock { event in
            log.add(event)
            guard event == .willBecomeUnavailable else { return }
            // Somebody types the passcode while this handler still works.
            let done = Mutex(false)
            let passcode = try? Passcode(VolumeRig.passcode)
            Task.detached {
                try? volume.unlock(passcode: passcode!)
                done.withLock { $0 = true }
            }
            while !done.withLock({ $0 }) { continue }
        }
        await Task.detached { volume.lock() }.value
        #expect(volume.lockState == .unlocked)
        #expect(
            log.all == [.current(.unlocked), .willBecomeUnavailable, .didBecomeAvailable])
        observation.cancel()
    }
}
