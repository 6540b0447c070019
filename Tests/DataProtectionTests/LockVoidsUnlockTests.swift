import DataProtection
import Synchronization
import TestSupport
import Testing

/// What becomes of an unlock when a lock is asked for while its passcode is being tried.
@Suite struct `A lock that comes while a passcode is tried` {
    /// Runs something once, between the trying of the passcode and the end of the unlock.
    private func unlock(_ rig: VolumeRig, meanwhile: @escaping @Sendable () -> Void) -> Outcome {
        let isDone = Atomic(false)
        rig.volume.unlockHook = { _ in
            if !isDone.exchange(true, ordering: .relaxed) { meanwhile() }
        }
        defer { rig.volume.unlockHook = nil }
        return Outcome { try rig.unlock() }
    }

    @Test(arguments: [Duration.zero, .seconds(10)])
    func `leaves a locked volume locked, and nobody hears of an unlock`(grace: Duration) throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: .complete)
        rig.volume.lock()
        let events = Mutex<[LockEvent]>([])
        let observation = rig.volume.observeLock { event in events.withLock { $0.append(event) } }
        let volume = rig.volume
        #expect(unlock(rig) { volume.lock(grace: grace) } == .sealed)
        #expect(rig.volume.lockState == .locked)
        #expect(refusal { _ = try rig.volume.read("f") } == .sealed)
        #expect(events.withLock { $0 } == [.current(.locked)])
        #expect(throws: ProtectionError.lockedMeanwhile) {
            rig.volume.unlockHook = { _ in volume.lock() }
            try rig.unlock()
        }
        rig.volume.unlockHook = nil
        try rig.unlock()
        #expect(try rig.volume.read("f") == [1])
        observation.cancel()
    }

    @Test func `leaves a volume that was never unlocked as it is`() throws {
        let rig = try VolumeRig()
        try rig.reboot()
        let volume = rig.volume
        #expect(unlock(rig) { volume.lock() } == .sealed)
        #expect(rig.volume.lockState == .beforeFirstUnlock)
        try rig.unlock()
    }

    @Test func `holds for the recovery key too`() throws {
        let rig = try VolumeRig()
        let key = try rig.volume.makeRecoveryKey(passcode: Passcode(VolumeRig.passcode))
        rig.volume.lock()
        let volume = rig.volume
        rig.volume.unlockHook = { _ in volume.lock() }
        #expect(refusal { try rig.volume.unlock(recoveryKey: key) } == .sealed)
        #expect(rig.volume.lockState == .locked)
        rig.volume.unlockHook = nil
        try rig.volume.unlock(recoveryKey: key)
    }

    @Test func `keeps the grace that it began`() async throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        #expect(unlock(rig) { volume.lock(grace: .seconds(10)) } == .sealed)
        #expect(rig.volume.lockState == .grace)
        await rig.passGrace()
        #expect(rig.volume.lockState == .locked)
    }

    @Test func `is forgotten when its grace was taken back`() throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        let outcome = unlock(rig) {
            volume.lock(grace: .seconds(10))
            volume.cancelGrace()
        }
        #expect(outcome == .done)
        #expect(rig.volume.lockState == .unlocked)
    }

    @Test func `ends the grace in which the passcode was typed`() throws {
        let rig = try VolumeRig()
        rig.volume.lock(grace: .seconds(10))
        let volume = rig.volume
        #expect(unlock(rig) { volume.lock() } == .sealed)
        #expect(rig.volume.lockState == .locked)
    }

    @Test func `is not the end of a grace that began before`() async throws {
        let rig = try VolumeRig()
        let grace = try #require(rig.volume.beginGrace())
        let volume = rig.volume
        #expect(unlock(rig) { volume.endGrace(grace) } == .done)
        #expect(rig.volume.lockState == .unlocked)
    }

    @Test func `is undone by an unlock that began after it`() throws {
        let rig = try VolumeRig()
        rig.volume.lock()
        let volume = rig.volume
        let outcome = unlock(rig) {
            volume.lock()
            #expect(refusal { try volume.unlock(passcode: Passcode(VolumeRig.passcode)) } == nil)
        }
        #expect(outcome == .done)
        #expect(rig.volume.lockState == .unlocked)
    }

    @Test func `holds for an unlock that waits for its turn`() throws {
        let rig = try VolumeRig()
        rig.volume.lock()
        let begun = rig.volume.beginUnlock()
        rig.volume.lock()
        #expect(
            refusal { try rig.volume.unlock(passcode: Passcode(VolumeRig.passcode), begun: begun) }
                == .sealed)
        #expect(rig.volume.lockState == .locked)
    }

    @Test func `counts for nothing on a volume without a passcode, which does not lock`() throws {
        let rig = try VolumeRig(passcode: nil)
        let key = try rig.volume.makeRecoveryKey(passcode: nil)
        let volume = rig.volume
        rig.volume.unlockHook = { _ in volume.lock() }
        try rig.volume.unlock(recoveryKey: key)
        #expect(rig.volume.lockState == .unlocked)
        rig.volume.unlockHook = nil
    }
}
