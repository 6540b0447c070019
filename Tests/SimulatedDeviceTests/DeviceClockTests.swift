import DataProtection
import SimulatedDevice
import Synchronization
import Testing

/// Who was woken.
private final class Woken: Sendable { let seconds = Mutex<[Int]>([]) }

/// The clock of a device.
@Suite struct `The clock of a device` {
    @Test func `wakes sleepers when it is moved, in the order of their times`() async throws {
        let device = try SimulatedDevice()
        let clock = device.clock
        let woken = Woken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.seconds.withLock { $0.append(seconds) }
                }
            }
            await clock.waitForSleepers(3)
            for count in 1...3 {
                device.advance(by: .seconds(1))
                while woken.seconds.withLock({ $0.count }) < count { await Task.yield() }
                #expect(clock.sleeperCount == 3 - count)
            }
            try await group.waitForAll()
        }
        #expect(woken.seconds.withLock { $0 } == [1, 2, 3])
        try await clock.sleep(until: clock.now)
        #expect(clock.now.offset == .seconds(3))
    }

    @Test func `lets a sleeper go that is cancelled, before and while it sleeps`() async throws {
        let clock = try SimulatedDevice().clock
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(1))
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func `shows a sleeper what the device did at its time`() async throws {
        let device = try SimulatedDevice()
        device.lock()
        let sleeper = Task {
            try await device.clock.sleep(for: .seconds(10))
            return device.lockState
        }
        await device.clock.waitForSleepers()
        device.advance(by: .seconds(10))
        #expect(try await sleeper.value == .locked)
    }
}
