import DataProtection
import Foundation
import SimulatedDevice
import Testing

/// Power, disk and the life of the app.
@Suite struct `A device` {
    private static let passcode = SimulatedDevice.passcode

    @Test(arguments: LockState.allCases)
    func `keeps its lock state when the app is killed, and what was written`(
        _ state: LockState
    ) throws {
        let device = try SimulatedDevice()
        try device.make("a", [1], .complete)
        let file = try device.volume.openFile(
            "d", [.readWrite, .create], class: ProtectionClass.none)
        try file.write([5, 6], at: 0)
        try device.enter(state)
        try device.killApp()
        #expect(device.lockState == state)
        if state != .beforeFirstUnlock {
            #expect(refusal { _ = try file.read(at: 0, count: 1) } == .closed)
        }
        #expect(try device.volume.read("d") == [5, 6])
        let isReadable = state.isProtectedDataAvailable
        #expect(refusal { _ = try device.volume.read("a") } == (isReadable ? nil : .sealed))
        device.advance(by: .seconds(10))
        #expect(device.lockState == (state == .grace ? .locked : state))
        try device.unlock(passcode: Self.passcode)
        #expect(try device.volume.read("a") == [1])
    }

    @Test func `goes on with a grace that a killed app began`() throws {
        let device = try SimulatedDevice()
        try device.volume.lock(grace: .seconds(1000))
        try device.killApp()
        #expect(device.lockState == .grace)
        device.advance(by: .seconds(10))
        #expect(device.lockState == .locked)
    }

    @Test func `starts an app again that closed its volume`() throws {
        let device = try SimulatedDevice()
        try device.make("f", [1])
        try device.volume.close()
        try device.killApp()
        #expect(device.lockState == .beforeFirstUnlock)
        try device.unlock(passcode: Self.passcode)
        #expect(try device.volume.read("f") == [1])
    }

    @Test func `says what to do while it is off`() throws {
        let device = try SimulatedDevice()
        #expect(refusal { try device.boot() } == .invalidArgument)
        try device.shutDown()
        #expect(device.lockState == nil)
        #expect(!device.isProtectedDataAvailable)
        for call in [
            { _ = try device.volume }, { _ = try device.files }, { try device.shutDown() },
            { try device.killApp() }, { try device.cutPower(seed: 1) },
            { try device.unlock(passcode: "1234") }, { _ = try device.copyContainer() },
        ] as [() throws -> Void] {
            #expect(refusal(call) == .closed)
        }
        device.lock()
        device.lockAtOnce()
        device.advance(by: .seconds(1_000_000))
        try device.boot()
        #expect(device.lockState == .beforeFirstUnlock)
        #expect(try !device.volume.wasUnclean)
    }

    @Test(arguments: UInt64(0)..<20)
    func `loses only what was not synchronised when its power is cut`(_ seed: UInt64) throws {
        let device = try SimulatedDevice()
        let old = [UInt8](repeating: 1, count: 20_000)
        let new = [UInt8](repeating: 2, count: 20_000)
        try device.make("synced", old)
        try device.make("overwritten", old)
        let file = try device.volume.openFile("overwritten", .readWrite)
        try file.write(new, at: 0)
        try device.cutPower(seed: seed)
        #expect(refusal { _ = try file.read(at: 0, count: 1) } == .closed)
        #expect(device.lockState == nil)
        try device.boot()
        #expect(try device.volume.wasUnclean)
        try device.unlock(passcode: Self.passcode)
        #expect(try device.volume.read("synced") == old)
        let found = try device.volume.read("overwritten")
        #expect(found.count == 20_000)
        #expect(found.allSatisfy { $0 == 1 || $0 == 2 }, "seed \(seed)")
    }

    @Test func `leaves the same disk for the same seed`() throws {
        func disk() throws -> [String: Data] {
            let device = try SimulatedDevice()
            let file = try device.volume.openFile("f", [.readWrite, .create])
            try file.write([UInt8](repeating: 1, count: 40_520), at: 0)
            try file.synchronize()
            try file.write([UInt8](repeating: 2, count: 40_520), at: 0)
            try device.cutPower(seed: 7)
            try device.boot()
            try device.unlock(passcode: Self.passcode)
            return try device.copyContainer()
        }
        #expect(try disk() == disk())
    }

    @Test func `can be full, over a reboot, and is not for ever`() throws {
        let device = try SimulatedDevice()
        try device.make("f", [1])
        device.fillDisk()
        #expect(refusal { try device.make("g") } == .noSpace)
        #expect(refusal { try device.make("f", [2]) } == .noSpace)
        #expect(try device.volume.read("f") == [1], "what was there is untouched")
        try device.reboot()
        try device.unlock(passcode: Self.passcode)
        #expect(refusal { try device.make("g") } == .noSpace)
        device.freeDisk()
        try device.make("g")
        try device.shutDown()
        device.fillDisk(leaving: 100_000)
        try device.boot()
        try device.unlock(passcode: Self.passcode)
        try device.make("h", [UInt8](repeating: 0, count: 10_000))
        #expect(
            refusal { try device.make("i", [UInt8](repeating: 0, count: 100_000)) } == .noSpace)
        let small = try SimulatedDevice(.init(diskByteLimit: 200_000))
        #expect(
            refusal { try small.make("f", [UInt8](repeating: 0, count: 300_000)) } == .noSpace)
    }

    @Test func `has a disk whose calls can fail`() throws {
        let device = try SimulatedDevice()
        try device.make("f", [1])
        device.failNextHostCalls(errorNumber: 5)
        #expect(refusal { _ = try device.volume.read("f") } == .host)
        #expect(try device.volume.read("f") == [1])
        device.failNextHostCalls(1000, after: 2)
        #expect(refusal { try device.make("f", [2]) } == .host)
        device.failNextHostCalls(0)
        #expect(try device.volume.read("f") == [1])
    }

    @Test func `has files of the date that it shows, also of one that was set back`() throws {
        let device = try SimulatedDevice()
        device.advance(by: .seconds(60))
        #expect(device.wallClock == device.options.startTime + 60)
        try device.make("f")
        device.setWallClock(to: Date(timeIntervalSince1970: -0.5))
        try device.make("g")
        let volume = try device.volume
        #expect(try volume.attributes(of: "f").modificationTime.seconds == 1_767_225_660)
        let time = try volume.attributes(of: "g").modificationTime
        #expect(time.seconds == -1)
        #expect(time.nanoseconds == 500_000_000)
        #expect(device.clock.now.offset == .seconds(60))
        device.lock()
        device.advance(by: .seconds(10))
        #expect(device.lockState == .locked)
        try device.reboot()
        try device.unlock(passcode: Self.passcode)
        #expect(device.wallClock == Date(timeIntervalSince1970: 9.5))
    }

    /// A device container copy over the cable.
    @Test func `leaves sealed files out of a copy of the container`() throws {
        let device = try SimulatedDevice()
        try device.volume.makeFolder("inbox", class: .complete)
        try device.make("inbox/entry", [1])
        try device.make("settings", [2])
        try device.make("cache", [3], ProtectionClass.none)
        let all = ["inbox/entry": Data([1]), "settings": Data([2]), "cache": Data([3])]
        #expect(try device.copyContainer() == all)
        device.lockAtOnce()
        #expect(try device.copyContainer() == all.filter { $0.key != "inbox/entry" })
        #expect(try device.files.fileExists(atPath: "inbox/entry"))
        try device.reboot()
        #expect(try device.copyContainer() == ["cache": Data([3])])
    }
}
