import DataProtection
import Foundation
import TestSupport
import Testing

/// Things that are right alone, together.
@Suite("Interplay")
struct InterplayTests {
    private static let configuration = VolumeConfiguration(
        passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))

    private func make(
        _ store: MemoryStore, _ device: DeviceKey, passcode: Passcode? = nil
    ) throws -> ProtectedVolume {
        try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: passcode, deviceKey: device)
    }

    @Test func `no keybag outlives an erasure, not even one that was half written`() throws {
        let device = try DeviceKey.inMemory()
        let store = MemoryStore()
        let volume = try make(store, device, passcode: Passcode("1"))
        let keybag = try store.root.readAll(".keybag-1", byteCountMaximum: 5000)
        // As a killed change of the passcode leaves it.
        try store.root.createFile(".new-record-left", mode: 0o600).write(keybag.span, at: 0)
        try volume.erase()
        #expect(try store.root.list().allSatisfy { $0.kind != .regular || $0.name == ".marker" })
        #expect(throws: ProtectionError.self) {
            try ProtectedVolume.open(store, deviceKey: device)
        }
    }

    @Test func `a keybag that a killed change left is gone with the next opening`() throws {
        let device = try DeviceKey.inMemory()
        let store = MemoryStore()
        try make(store, device).close()
        try store.root.createFile(".new-record-left", mode: 0o600).write([1, 2].span, at: 0)
        try ProtectedVolume.open(store, deviceKey: device).close()
        #expect(try !store.root.list().contains { $0.name.hasPrefix(".new-") })
    }

    @Test func `an erasure beside changes of the passcode wins, whichever comes first`()
        async throws
    {
        let device = try DeviceKey.inMemory()
        for _ in 0..<50 {
            let store = MemoryStore()
            let passcode = try Passcode("1")
            let volume = try make(store, device, passcode: passcode)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? volume.changePasscode(from: passcode, to: Passcode("2"))
                }
                group.addTask { try? volume.erase() }
            }
            #expect(try !store.root.list().contains { $0.name.hasPrefix(".keybag") })
        }
    }

    @Test func `verifying beside changes of the passcode disturbs none of them`() async throws {
        let device = try DeviceKey.inMemory()
        let passcode = try Passcode("1")
        let volume = try make(MemoryStore(), device, passcode: passcode)
        async let changes = Task.detached {
            for _ in 0..<100 { try volume.changePasscode(from: passcode, to: passcode) }
        }.value
        for _ in 0..<100 { _ = try volume.verify(repair: true) }
        try await changes
        try volume.close()
    }

    @Test func `a class that was raised while a file was being replaced stays`() throws {
        let device = try DeviceKey.inMemory()
        let volume = try make(MemoryStore(), device)
        try volume.write([1], to: "a", class: ProtectionClass.none)
        try volume.replaceFile("a") { file in
            try file.write([2], at: 0)
            try volume.setProtectionClass(.complete, of: "a")
        }
        #expect(try volume.protectionClass(of: "a") == .complete)
        #expect(try volume.read("a") == [2])
        try volume.close()
    }

    @Test func `emptying through a handle that is closed at the same time leaves no key behind`()
        async throws
    {
        let device = try DeviceKey.inMemory()
        let passcode = try Passcode("1")
        let volume = try make(MemoryStore(), device, passcode: passcode)
        for round in 0..<200 {
            try volume.write([1, 2, 3], to: "a", class: .complete)
            let file = try volume.openFile("a", .readWrite)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { file.close() }
                group.addTask { try? file.truncate(to: 0) }
            }
            let bytes = try volume.read("a")
            #expect(bytes == [] || bytes == [1, 2, 3], "round \(round)")
        }
        try volume.close()
    }

    @Test func `a lock with grace is not put off by another`() async throws {
        let device = try DeviceKey.inMemory()
        let clock = ManualClock()
        let volume = try ProtectedVolume.create(
            in: MemoryStore(), configuration: Self.configuration, passcode: Passcode("1"),
            deviceKey: device, clock: clock)
        volume.lock(grace: .seconds(10))
        await clock.waitForSleepers(1)
        volume.lock(grace: .seconds(100))
        clock.advance(by: .seconds(11))
        for _ in 0..<1000 where volume.lockState != .locked { await Task.yield() }
        #expect(volume.lockState == .locked)
        try volume.close()
    }

    @Test func `truncating needs to be opened for writing`() throws {
        let device = try DeviceKey.inMemory()
        let volume = try make(MemoryStore(), device)
        try volume.write([1], to: "a")
        #expect(throws: ProtectionError.self) { try volume.openFile("a", [.read, .truncate]) }
        #expect(try volume.read("a") == [1])
        try volume.close()
    }

    @Test func `what the host lacks is said`() throws {
        let device = try DeviceKey.inMemory()
        var small = MemoryStore.Options()
        small.blockByteCount = 1024
        let error = #expect(throws: ProtectionError.self) { try make(MemoryStore(small), device) }
        #expect(error?.code == .unsuitableHost)
        var bare = MemoryStore.Options()
        bare.hasAttributes = false
        let volume = try make(MemoryStore(bare), device)
        #expect(volume.openingNotes.contains { $0.contains("attributes") })
        try volume.write([1], to: "a", class: .complete)
        #expect(try volume.protectionClass(of: "a") == .complete)
        try volume.close()
        let copied = try ProtectedVolume.open(
            MemoryStore(volumeImage(device), small), deviceKey: device)
        #expect(copied.openingNotes.contains { $0.contains("1024") })
        try copied.close()
    }

    private func volumeImage(_ device: DeviceKey) throws -> MemoryImage {
        let store = MemoryStore()
        try make(store, device).close()
        return store.image()
    }
}
