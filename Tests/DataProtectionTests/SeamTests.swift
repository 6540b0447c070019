import DataProtection
import Synchronization
import TestSupport
import Testing

/// What a simulated device needs of the engine.
@Suite struct `A seam of the engine` {
    @Test func `lets a hook lock at the beginning of an operation`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1, 2, 3], .complete)
        let file = try rig.volume.openFile("f", .readWrite)
        let heard = Mutex<[String]>([])
        let volume = rig.volume
        volume.operationHook = { [weak volume] name in
            heard.withLock { $0.append(name) }
            volume?.lock()
        }
        #expect(refusal { _ = try file.read(at: 0, count: 3) } == .sealed)
        #expect(refusal { _ = try volume.read("f") } == .sealed)
        volume.operationHook = nil
        try rig.unlock()
        #expect(try file.read(at: 0, count: 3) == [1, 2, 3])
        #expect(heard.withLock { $0 } == ["read(at:count:)", "openFile(_:_:class:mode:)"])
    }

    @Test func `lets a hook abandon the volume in any operation`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1])
        let volume = rig.volume
        let file = try volume.openFile("f", .readWrite)
        volume.operationHook = { [weak volume] _ in volume?.abandon() }
        #expect(refusal { try file.write([2], at: 0) } == .closed)
        #expect(refusal { _ = try volume.list() } == .closed)
        #expect(refusal { try file.synchronize() } == .closed)
        #expect(refusal { try rig.unlock() } == .closed)
        #expect(volume.lockState == .beforeFirstUnlock)
        try rig.reboot()
        #expect(rig.volume.wasUnclean)
        try rig.unlock()
        #expect(try rig.volume.read("f") == [1])
    }

    @Test func `lets a process that is over watch the lock, and tells it nothing`() throws {
        let rig = try VolumeRig()
        let old = rig.volume
        let next = try old.succeed()
        let heard = Mutex<[LockEvent]>([])
        let observation = old.observeLock { event in heard.withLock { $0.append(event) } }
        next.lock()
        #expect(heard.withLock { $0 } == [.current(.beforeFirstUnlock)])
        observation.cancel()
        try next.close()
    }

    @Test(arguments: LockState.allCases)
    func `keeps the lock state for the next process`(_ state: LockState) throws {
        let rig = try VolumeRig()
        try rig.make("a", [1], .complete)
        try rig.make("c", [2])
        try rig.enter(state)
        let old = rig.volume
        let next = try old.succeed()
        #expect(next.lockState == state)
        #expect(refusal { _ = try old.read("c") } == .closed)
        old.lock()
        #expect(next.lockState == state, "the old process has no say any more")
        #expect((try? next.read("a")) == (state.isProtectedDataAvailable ? [1] : nil))
        #expect((try? next.read("c")) == (state == .beforeFirstUnlock ? nil : [2]))
        try next.unlock(passcode: Passcode(VolumeRig.passcode))
        #expect(try next.read("a") == [1])
        try next.close()
    }

    @Test func `ends a grace when the caller says so, also for the next process`() throws {
        let rig = try VolumeRig()
        let grace = try #require(rig.volume.beginGrace())
        #expect(rig.volume.beginGrace() == nil)
        let next = try rig.volume.succeed()
        #expect(next.lockState == .grace)
        next.endGrace(grace)
        #expect(next.lockState == .locked)
        try next.unlock(passcode: Passcode(VolumeRig.passcode))
        next.endGrace(grace)
        #expect(next.lockState == .unlocked, "the unlock came first")
    }

    @Test func `tells observers in the order in which they came`() throws {
        let rig = try VolumeRig()
        let order = Mutex<[Int]>([])
        let observations = (0..<20).map { number in
            rig.volume.observeLock { event in
                if event == .didBecomeUnavailable { order.withLock { $0.append(number) } }
            }
        }
        observations[7].cancel()
        rig.volume.lock()
        #expect(order.withLock { $0 } == (0..<20).filter { $0 != 7 })
    }

    @Test func `tells each change of the availability once`() async throws {
        let rig = try VolumeRig()
        var changes = rig.volume.protectedDataChanges.makeAsyncIterator()
        #expect(await changes.next() == true)
        rig.volume.lock()
        try rig.unlock()
        try rig.unlock()
        #expect(await changes.next() == false)
        #expect(await changes.next() == true)
        try rig.volume.close()
        #expect(await changes.next() == nil)
    }
}
