import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// An outbox on a table: its disk, clocks and receiver in the test's hands.
final class OutboxRig {
    /// The clock on the wall.
    private final class Wall: Sendable { let milliseconds = Mutex<Int64>(1_000_000_000) }

    static let passcode = "1234"

    private(set) var store: any BackingStore
    let device: DeviceKey
    let clock = ManualClock()
    private let wall = Wall()
    let options: OutboxOptions
    private(set) var volume: ProtectedVolume
    private(set) var outbox: ProtectedOutbox
    let receiver = Receiver()

    init(_ options: OutboxOptions = OutboxOptions(), store: (any BackingStore)? = nil) throws {
        self.store = store ?? MemoryStore()
        self.options = options
        device = try DeviceKey.inMemory()
        try ProtectedVolume.create(
            in: self.store,
            configuration: VolumeConfiguration(
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192)),
            passcode: Passcode(Self.passcode), deviceKey: device
        ).close()
        volume = try Self.open(self.store, device, clock, wall)
        try volume.unlock(passcode: Passcode(Self.passcode))
        outbox = try volume.outbox("Outbox", options: options)
    }

    private static func open(
        _ store: any BackingStore, _ device: DeviceKey, _ clock: ManualClock, _ wall: Wall
    ) throws -> ProtectedVolume {
        try ProtectedVolume.open(
            store, deviceKey: device, clock: clock,
            dateClock: { wall.milliseconds.withLock { $0 } })
    }

    /// Begins a new process, before its first unlock: on the same disk, or on another.
    func reboot(on store: (any BackingStore)? = nil) throws {
        try? volume.close()
        if let store { self.store = store }
        volume = try Self.open(self.store, device, clock, wall)
        outbox = try volume.outbox("Outbox", options: options)
    }

    func unlock() throws { try volume.unlock(passcode: Passcode(Self.passcode)) }

    /// A new process, unlocked.
    func restart(on store: (any BackingStore)? = nil) throws {
        try reboot(on: store)
        try unlock()
    }

    /// Lets time pass on both clocks.
    func pass(_ seconds: Int64) { pass(milliseconds: seconds * 1000) }

    func pass(milliseconds: Int64) {
        wall.milliseconds.withLock { $0 += milliseconds }
        clock.advance(by: .milliseconds(milliseconds))
    }

    /// Sets the clock on the wall alone.
    func setWall(by seconds: Int64) { wall.milliseconds.withLock { $0 += seconds * 1000 } }

    @discardableResult
    func save(_ text: String, class protectionClass: ProtectionClass? = nil) async throws -> Int64 {
        try await outbox.save(Data(text.utf8), named: "label", class: protectionClass)
    }

    func drain() async throws -> DrainStatus { try await outbox.drain(send: receiver.send) }

    /// The host path of an item's file, as the volume names it.
    func path(of id: Int64) throws -> String {
        let shelf = String(format: "Outbox/%016x", id >> 10)
        let prefix = String(format: "%016x-", id)
        let name = try #require(volume.list(shelf).map(\.name).first { $0.hasPrefix(prefix) })
        return shelf + "/" + name
    }
}
