import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// The async sequence of lock states.
@Suite struct `The lock states of a volume` {
    @Test(arguments: TruthRow.states) func `begin with the present one`(state: LockState)
        async throws
    {
        let rig = try VolumeRig()
        try rig.enter(state)
        var states = rig.volume.lockStates.makeAsyncIterator()
        #expect(await states.next() == state)
    }

    @Test func `come in order, also those of a grace that an unlock ends`() async throws {
        let rig = try VolumeRig()
        var states = rig.volume.lockStates.makeAsyncIterator()
        rig.volume.lock(grace: .seconds(10))
        try rig.unlock()
        rig.volume.lock(grace: .seconds(10))
        await rig.clock.waitForSleepers(2)
        rig.clock.advance(by: .seconds(10))
        while rig.volume.lockState == .grace { await Task.yield() }
        try rig.unlock()
        try rig.unlock()
        rig.volume.lock()
        var found: [LockState] = []
        while found.last != .locked || found.count < 7 {
            found.append(try #require(await states.next()))
        }
        #expect(
            found == [.unlocked, .grace, .unlocked, .grace, .locked, .unlocked, .grace, .locked])
    }

    @Test func `tell locked when the keys are gone`() async throws {
        let rig = try VolumeRig()
        try rig.make("f", [1], .complete)
        let handle = try ProtectedFileHandle(forReadingFrom: rig.url("f"), in: rig.files)
        let volume = rig.volume
        let watching = Task {
            for await state in volume.lockStates where state == .locked {
                return Outcome.ofFiles { _ = try handle.read(upToCount: 1) }
            }
            return .done
        }
        await Task.detached { volume.lock() }.value
        #expect(await watching.value == .sealed)
    }

    @Test func `end when the volume is closed`() async throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        let early = volume.lockStates
        try volume.close()
        var found: [LockState] = []
        for await state in early { found.append(state) }
        #expect(found == [.unlocked])
        found = []
        for await state in volume.lockStates { found.append(state) }
        #expect(found.count == 1, "the present one, and no more")
    }

    @Test func `that nobody hears any more do not stop a lock`() async throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        for _ in 0..<200 {
            let watching = Task {
                for await state in volume.lockStates where state == .locked { return }
            }
            volume.lock()
            watching.cancel()
            try rig.unlock()
            await watching.value
        }
    }
}
