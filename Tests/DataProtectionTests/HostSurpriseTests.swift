import DataProtection
import Foundation
import TestSupport
import Testing

/// What a host folder can hold that nobody expects.
@Suite("Surprises of the host")
struct HostSurpriseTests {
    private static let configuration = VolumeConfiguration(
        passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))

    @Test func `making a volume touches nothing in a folder that holds something`()
        throws
    {
        let scratch = try ScratchFolder()
        let path = scratch.path(of: "mine")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path + "/.lock"))
        let error = #expect(throws: ProtectionError.self) {
            try ProtectedVolume.create(at: path, passcode: nil, deviceKey: .inMemory())
        }
        #expect(error?.code == .exists)
        let kept = try Data(contentsOf: URL(fileURLWithPath: path + "/.lock"))
        #expect(kept == Data("precious".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [".lock"])
    }

    @Test func `a marker that is no file counts as one that does not verify`() throws {
        let device = try DeviceKey.inMemory()
        for plant in ["symlink", "folder"] {
            let store = MemoryStore()
            let volume = try ProtectedVolume.create(
                in: store, configuration: Self.configuration, passcode: nil, deviceKey: device)
            try volume.write([1], to: "a", class: ProtectionClass.none)
            try volume.close()
            try store.root.removeFile(".marker")
            if plant == "symlink" {
                try store.root.makeSymlink(".marker", target: "/etc/passwd")
            } else {
                try store.root.makeFolder(".marker", mode: 0o700)
            }
            let opened = try ProtectedVolume.open(store, deviceKey: device)
            #expect(try opened.read("a") == [1])
            #expect(opened.openingNotes.contains { $0.contains(".marker") })
            try opened.close()
        }
    }

    @Test func `a device key can be a link, and what is no key is called so`()
        throws
    {
        let scratch = try ScratchFolder()
        let key = scratch.path(of: "real.key")
        let made = try DeviceKey.loadOrCreate(at: key)
        let link = scratch.path(of: "link.key")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "real.key")
        #expect(try DeviceKey.load(from: link).identifier == made.identifier)
        let loop = scratch.path(of: "loop.key")
        try FileManager.default.createSymbolicLink(
            atPath: loop, withDestinationPath: "loop.key")
        for path in [loop, scratch.path, "/dev/null"] {
            let error = #expect(throws: ProtectionError.self) { try DeviceKey.load(from: path) }
            #expect(error?.code == .damaged, "\(path)")
        }
    }

    @Test func `on a full disk a file can still be removed`() throws {
        let device = try DeviceKey.inMemory()
        let made = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: made, configuration: Self.configuration, passcode: nil, deviceKey: device)
        try volume.write([UInt8](repeating: 1, count: 50_000), to: "big")
        try volume.close()
        let image = made.image()
        var limited = MemoryStore.Options()
        limited.byteLimit = 1
        let full = MemoryStore(image, limited)
        let opened = try ProtectedVolume.open(full, deviceKey: device)
        #expect(throws: ProtectionError.self) { try opened.write([1], to: "more") }
        try opened.removeFile("big")
        #expect(try opened.list().isEmpty)
        try? opened.close()
        // The marker that was overwritten in its place is whole.
        let again = try ProtectedVolume.open(full, deviceKey: device)
        #expect(!again.openingNotes.contains { $0.contains(".marker") })
        try? again.close()
    }

    @Test func `after an unclean stop the holes of a huge file are passed over`() throws {
        let scratch = try ScratchFolder()
        let device = try DeviceKey.inMemory()
        let store = try FolderStore(path: scratch.path)
        let volume = try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: nil, deviceKey: device)
        let file = try volume.openFile("a", [.readWrite, .create])
        try file.write([1], at: 0)
        try file.write([2], at: 1 << 41)
        // As if the process had died: the lock is gone, the marker is not clean.
        store.releaseOwnership()
        let again = try ProtectedVolume.open(try FolderStore(path: scratch.path), deviceKey: device)
        #expect(again.wasUnclean)
        let reopened = try again.openFile("a")
        #expect(reopened.size == (1 << 41) + 1)
        #expect(try reopened.read(at: 1 << 41, count: 1) == [2])
        #expect(try reopened.read(at: 1 << 40, count: 3) == [0, 0, 0])
        try again.close()
        file.close()
    }

    @Test func `a damaged file is replaced by one of the strictest class`() throws {
        let device = try DeviceKey.inMemory()
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: nil, deviceKey: device)
        try volume.write([1], to: "a", class: .complete)
        let hostName = try #require(store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        try store.root.openFile(hostName, writable: true).write([0xFF].span, at: 20)
        try volume.write([2], to: "a")
        #expect(try volume.protectionClass(of: "a") == .complete)
        try volume.close()
    }
}

@Suite("What a caller is told in time")
struct ToldInTimeTests {
    private static let configuration = VolumeConfiguration(
        passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))

    private struct NotPrinted: Error {}

    @Test func `a recovery key that could not be shown replaces none`() throws {
        let device = try DeviceKey.inMemory()
        let passcode = try Passcode("1234")
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: passcode, deviceKey: device)
        let first = try volume.makeRecoveryKey(passcode: passcode)
        #expect(throws: NotPrinted.self) {
            try volume.makeRecoveryKey(passcode: passcode) { _ in throw NotPrinted() }
        }
        try volume.close()
        let opened = try ProtectedVolume.open(store, recoveryKey: first)
        #expect(opened.lockState == .unlocked)
        try opened.close()
    }

    @Test func `the events end with the volume`() async throws {
        let volume = try ProtectedVolume.create(
            in: MemoryStore(), configuration: Self.configuration, passcode: Passcode("1"),
            deviceKey: .inMemory())
        let events = volume.lockEvents
        volume.lock()
        try volume.close()
        var heard: [LockEvent] = []
        for await event in events { heard.append(event) }
        #expect(
            heard == [.current(.unlocked), .willBecomeUnavailable, .didBecomeUnavailable])
        for await _ in volume.lockEvents {}  // ends at once
    }

    @Test func `guesses at copies of one volume are counted together`() async throws {
        let scratch = try ScratchFolder()
        let keyPath = scratch.path(of: "device.key")
        let device = try DeviceKey.loadOrCreate(at: keyPath)
        let made = MemoryStore()
        var configuration = Self.configuration
        configuration.delaysPasscodes = true
        try ProtectedVolume.create(
            in: made, configuration: configuration, passcode: Passcode("right"),
            deviceKey: device
        ).close()
        let image = made.image()
        let tried = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<12 {
                group.addTask { Self.tries("guess \(number)", image, keyPath) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(tried == 4)
    }

    /// Whether a passcode was tried at all, at a copy of the volume; each try has its own view of
    /// the device key, as each process has.
    private static func tries(_ guess: String, _ image: MemoryImage, _ keyPath: String) -> Bool {
        do {
            let copy = try ProtectedVolume.open(
                MemoryStore(image), deviceKey: try DeviceKey.load(from: keyPath))
            try copy.unlock(passcode: try Passcode(guess))
            return true
        } catch {
            return error.code == .wrongPasscode
        }
    }
}
