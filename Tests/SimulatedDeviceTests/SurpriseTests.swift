import DataProtection
import SimulatedDevice
import Synchronization
import Testing

/// What surprises people about Data Protection: the ten points of the semantics' section 8.7.
@Suite struct `On a simulated device` {
    /// A device with a locked screen, and a file of each class.
    private func lockedDevice() throws -> SimulatedDevice {
        let device = try SimulatedDevice()
        for protectionClass in ProtectionClass.allCases {
            try device.make(protectionClass.name, [1, 2, 3], protectionClass)
        }
        device.lockAtOnce()
        return device
    }

    @Test func `8.7.1 a file that cannot be read can be renamed and deleted`() throws {
        let device = try lockedDevice()
        let volume = try device.volume
        try volume.rename("complete", to: "other")
        #expect(refusal { _ = try volume.read("other") } == .sealed)
        try volume.removeFile("other")
        #expect(refusal { _ = try volume.read("other") } == .missing)
    }

    @Test(arguments: [LockState.locked, .beforeFirstUnlock])
    func `8.7.2 names, sizes, times and classes are seen in every state`(
        _ state: LockState
    ) throws {
        let device = try SimulatedDevice()
        try device.make("to-alice.txt", [1, 2, 3], .complete)
        try device.enter(state)
        let volume = try device.volume
        #expect(try volume.list().map(\.name) == ["to-alice.txt"])
        let attributes = try volume.attributes(of: "to-alice.txt")
        #expect(attributes.size == 3)
        #expect(attributes.protectionClass == .complete)
        #expect(attributes.isSealed)
        #expect(attributes.modificationTime.seconds == 1_767_225_600)
    }

    @Test func `8.7.3 what was written weak cannot be made strong while locked`() throws {
        let device = try lockedDevice()
        let volume = try device.volume
        #expect(refusal { try volume.setProtectionClass(.complete, of: "none") } == .sealed)
        #expect(try volume.protectionClass(of: "none") == ProtectionClass.none)
        try volume.write([4], to: "capture", class: .completeUnlessOpen)
        #expect(refusal { _ = try volume.read("capture") } == .sealed)
    }

    @Test func `8.7.4 and 8.7.5 completeUnlessOpen protects after the close, and no reopening`()
        throws
    {
        let device = try lockedDevice()
        let volume = try device.volume
        let file = try volume.openFile("b", [.readWrite, .create], class: .completeUnlessOpen)
        try file.write([7, 8], at: 0)
        #expect(try file.read(at: 0, count: 2) == [7, 8])
        #expect(refusal { _ = try volume.openFile("b") } == .sealed, "even while it is open")
        file.close()
        #expect(refusal { _ = try volume.read("b") } == .sealed)
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try volume.read("b") == [7, 8])
    }

    @Test func `8.7.6 an atomic save while locked depends on the folder's class`() throws {
        let device = try SimulatedDevice()
        let volume = try device.volume
        try volume.makeFolder("a", class: .complete)
        try volume.makeFolder("b", class: .completeUnlessOpen)
        for path in ["a/f", "b/f"] { try device.make(path, [1]) }
        device.lockAtOnce()
        #expect(refusal { try volume.write([2], to: "a/f") } == .sealed)
        #expect(refusal { _ = try volume.read("b/f") } == .sealed)
        try volume.write([2], to: "b/f")
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try volume.read("a/f") == [1])
        #expect(try volume.list("a").map(\.name) == ["f"], "nothing is left of the attempt")
        #expect(try volume.read("b/f") == [2])
    }

    @Test func `8.7.7 a refused opening with truncate has truncated nothing`() throws {
        let device = try lockedDevice()
        let volume = try device.volume
        #expect(refusal { _ = try volume.openFile("complete", [.write, .truncate]) } == .sealed)
        #expect(try volume.attributes(of: "complete").size == 3)
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try volume.read("complete") == [1, 2, 3])
    }

    @Test(arguments: LockState.allCases)
    func `8.7.8 each class opens in its own states`(_ state: LockState) throws {
        let device = try SimulatedDevice()
        for protectionClass in ProtectionClass.allCases {
            try device.make(protectionClass.name, [1], protectionClass)
        }
        try device.enter(state)
        #expect(device.lockState == state)
        let volume = try device.volume
        let readable = ProtectionClass.allCases.filter { protectionClass in
            refusal { _ = try volume.read(protectionClass.name) } == nil
        }
        let expected: Set<ProtectionClass> =
            switch state {
            case .unlocked, .grace: Set(ProtectionClass.allCases)
            case .locked: [.completeUntilFirstUserAuthentication, .none]
            case .beforeFirstUnlock: [.none]
            }
        #expect(Set(readable) == expected)
    }

    @Test func `8.7.9 a copy and a move keep the class, a new file takes the folder's`() throws {
        let device = try SimulatedDevice()
        let volume = try device.volume
        let files = try device.files
        try volume.makeFolder("strong", class: .complete)
        try device.make("weak", [1], ProtectionClass.none)
        try files.copyItem(atPath: "weak", toPath: "strong/copy")
        try files.moveItem(atPath: "weak", toPath: "strong/moved")
        try device.make("strong/new")
        #expect(try volume.protectionClass(of: "strong/copy") == ProtectionClass.none)
        #expect(try volume.protectionClass(of: "strong/moved") == ProtectionClass.none)
        #expect(try volume.protectionClass(of: "strong/new") == .complete)
    }

    @Test func `8.7.10 what an app holds in memory stays until it lets go of it`() throws {
        let device = try SimulatedDevice()
        try device.make("f", [1, 2, 3], .complete)
        let cache = Mutex<[UInt8]?>(try device.volume.read("f"))
        device.lockAtOnce()
        #expect(cache.withLock { $0 } == [1, 2, 3])
        try device.unlock(passcode: SimulatedDevice.passcode)
        let observation = device.observeLock { event in
            if event == .willBecomeUnavailable { cache.withLock { $0 = nil } }
        }
        device.lockAtOnce()
        observation.cancel()
        #expect(cache.withLock { $0 } == nil)
    }
}
