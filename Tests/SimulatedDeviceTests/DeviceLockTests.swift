import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import Testing

/// The lock of a device, on its own clock.
@Suite struct `The lock of a device` {
    private static let passcode = SimulatedDevice.passcode

    @Test func `leaves the keys for the grace, to the second`() throws {
        let device = try SimulatedDevice()
        #expect(device.lockState == .unlocked)
        try device.make("f", [1], .complete)
        device.lock()
        device.advance(by: .seconds(9.999))
        device.lock()
        #expect(device.lockState == .grace)
        #expect(try device.volume.read("f") == [1])
        device.advance(by: .milliseconds(1))
        #expect(device.lockState == .locked)
        #expect(!device.isProtectedDataAvailable)
        #expect(refusal { _ = try device.volume.read("f") } == .sealed)
    }

    @Test func `is cancelled by the passcode within the grace, and nobody is told`() throws {
        let device = try SimulatedDevice()
        let heard = Mutex<[LockEvent]>([])
        let observation = device.observeLock { event in heard.withLock { $0.append(event) } }
        device.lock()
        device.advance(by: .seconds(5))
        try device.unlock(passcode: Self.passcode)
        device.advance(by: .seconds(3600))
        #expect(device.lockState == .unlocked)
        #expect(heard.withLock { $0 } == [.current(.unlocked)])
        device.lock()
        device.advance(by: .seconds(5))
        device.lockAtOnce()
        observation.cancel()
        #expect(
            heard.withLock { $0 } == [
                .current(.unlocked), .willBecomeUnavailable, .didBecomeUnavailable,
            ])
    }

    @Test func `never comes without a passcode`() throws {
        let device = try SimulatedDevice(.init(passcode: nil))
        device.lock()
        device.advance(by: .seconds(1_000_000))
        device.lockAtOnce()
        #expect(device.lockState == .unlocked)
        try device.reboot()
        #expect(device.lockState == .unlocked)
        try device.unlock(passcode: "anything")
    }

    @Test func `of three days makes the device boot by itself`() throws {
        let device = try SimulatedDevice()
        try device.make("c", [1])
        device.lock()
        device.advance(by: .seconds(72 * 3600 - 1))
        #expect(device.lockState == .locked)
        #expect(try device.volume.read("c") == [1])
        device.advance(by: .seconds(1))
        #expect(device.lockState == .beforeFirstUnlock)
        #expect(refusal { _ = try device.volume.read("c") } == .sealed)
        try device.unlock(passcode: Self.passcode)
        device.advance(by: .seconds(720 * 3600))
        #expect(device.lockState == .unlocked, "it was never locked")
    }

    @Test func `that the app itself makes counts for the idle reboot, too`() throws {
        let device = try SimulatedDevice(.init(idleReboot: .seconds(100)))
        try device.volume.lock()
        device.advance(by: .seconds(100))
        #expect(device.lockState == .beforeFirstUnlock)
        let other = try SimulatedDevice(.init(idleReboot: nil))
        other.lock()
        other.advance(by: .seconds(1_000_000))
        #expect(other.lockState == .locked)
    }

    /// Platform Security guide, table of October 2024.
    @Test(arguments: [
        (1, 0), (2, 0), (3, 0), (4, 60), (5, 300), (6, 900), (7, 3600), (8, 10800), (9, 28800),
    ])
    func `answers wrong passcodes with Apple's delays`(_ count: Int, _ delay: Int) throws {
        let device = try SimulatedDevice()
        for number in 1...count {
            device.advance(by: .seconds(28800))
            #expect(refusal { try device.unlock(passcode: "wrong \(number)") } == .wrongPasscode)
        }
        device.lockAtOnce()
        if delay > 0 {
            #expect(refusal { try device.unlock(passcode: Self.passcode) } == .throttled)
            device.setWallClock(to: .distantFuture)
            device.advance(by: .seconds(delay - 1))
            #expect(refusal { try device.unlock(passcode: Self.passcode) } == .throttled)
            try device.reboot()
            device.advance(by: .seconds(delay - 1))
            #expect(
                refusal { try device.unlock(passcode: Self.passcode) } == .throttled,
                "a restart begins the delay afresh, and the date does not matter")
            device.advance(by: .seconds(1))
        }
        try device.unlock(passcode: Self.passcode)
        #expect(device.lockState == .unlocked)
    }

    @Test(arguments: [false, true])
    func `answers the tenth wrong passcode for good`(_ erases: Bool) throws {
        let device = try SimulatedDevice(.init(erasesAfterTenWrongPasscodes: erases))
        try device.make("f")
        let file = try device.volume.openFile("f")
        for number in 1...10 {
            #expect(!device.isErased)
            for _ in 1...3 {
                device.advance(by: .seconds(28800))
                // The same one again does not count.
                if device.isErased { continue }
                let code = refusal { try device.unlock(passcode: "wrong \(number)") }
                #expect(code == .wrongPasscode || number == 10 && code == .throttled)
            }
        }
        device.advance(by: .seconds(1_000_000))
        #expect(device.isErased == erases)
        if erases {
            #expect(device.lockState == nil)
            #expect(refusal { try device.boot() } == .closed)
            #expect(refusal { _ = try device.volume } == .closed)
            #expect(refusal { _ = try file.read(at: 0, count: 1) } == .closed)
        } else {
            #expect(refusal { try device.unlock(passcode: Self.passcode) } == .throttled)
            #expect(try file.read(at: 0, count: 1) == [1])
        }
    }

    @Test func `changes nothing where there is no Data Protection`() throws {
        let device = try SimulatedDevice(.init(enforcesDataProtection: false))
        let files = try device.files
        try files.createDirectory(atPath: "d", withIntermediateDirectories: true)
        try files.createFile(
            atPath: "d/f", contents: Data([1]),
            attributes: [.protectionKey: FileProtectionType.complete])
        try files.setAttributes(
            [.protectionKey: FileProtectionType.complete], ofItemAtPath: "d")
        device.lockAtOnce()
        try files.setAttributes(
            [.protectionKey: FileProtectionType.complete], ofItemAtPath: "d/f")
        #expect(device.isProtectedDataAvailable)
        for path in ["d", "d/f"] {
            #expect(try files.attributesOfItem(atPath: path)[.protectionKey] == nil)
            #expect(try device.volume.attributes(of: path).protectionClass == nil)
        }
        #expect(try device.volume.read("d/f") == [1])
        try device.reboot()
        #expect(device.lockState == .unlocked)
        #expect(try device.volume.read("d/f") == [1])
    }

    @Test func `is watched over reboots and lives of the app`() async throws {
        let device = try SimulatedDevice()
        var changes = device.protectedDataChanges.makeAsyncIterator()
        let heard = Mutex<[LockEvent]>([])
        let observation = device.observeLock { event in heard.withLock { $0.append(event) } }
        try device.killApp()
        device.lockAtOnce()
        try device.killApp()
        try device.unlock(passcode: Self.passcode)
        try device.reboot()
        try device.unlock(passcode: Self.passcode)
        observation.cancel()
        for expected in [true, false, true, false, true] {
            #expect(await changes.next() == expected)
        }
        #expect(
            heard.withLock { $0 } == [
                .current(.unlocked), .current(.unlocked), .willBecomeUnavailable,
                .didBecomeUnavailable, .current(.locked), .didBecomeAvailable,
                .didBecomeUnavailable, .current(.beforeFirstUnlock), .didBecomeAvailable,
            ])
    }

    @Test func `ends its sequences with the device`() async throws {
        var device: SimulatedDevice? = try SimulatedDevice()
        let events = try #require(device).lockEvents
        let changes = try #require(device).protectedDataChanges
        device = nil
        var heard: [LockEvent] = []
        for await event in events { heard.append(event) }
        #expect(heard == [.current(.unlocked)])
        for await isAvailable in changes { #expect(isAvailable) }
    }
}
