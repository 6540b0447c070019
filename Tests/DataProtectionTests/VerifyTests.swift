import DataProtection
import SimulatedDevice
import TestSupport
import Testing

@Suite("Verifying a volume")
struct VerifyTests {
    private static let configuration = VolumeConfiguration(
        passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))

    @Test func `after a cut, it sweeps what was left and the volume counts as clean again`() throws
    {
        let device = try DeviceKey.inMemory()
        let passcode = try Passcode("1234")
        let store = CrashingStore()
        let made = try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: passcode, deviceKey: device)
        try made.makeFolder("folder")
        try made.write([1, 2, 3], to: "folder/kept", class: .complete)
        // A file that was being written when the power went.
        try made.replaceFile("folder/half") { file in
            try file.write([UInt8](repeating: 7, count: 10_000), at: 0)
            try file.synchronize()
            let left = store.cut(.everything)
            let volume = try ProtectedVolume.open(left, deviceKey: device)
            #expect(volume.wasUnclean)
            let sealed = try volume.verify(repair: true)
            #expect(sealed.sealedCount == 1 && sealed.leftoverCount == 1 && !sealed.isWhole)
            try volume.close()
            // Not everything was verified, so a missing end is still a crash's.
            let again = try ProtectedVolume.open(left, deviceKey: device)
            #expect(again.wasUnclean)
            try again.unlock(passcode: passcode)
            var items: [VerifiedItem] = []
            let report = try again.verify(repair: true) { items.append($0) }
            #expect(report.isWhole && report.leftoverCount == 0 && report.wholeCount == 2)
            #expect(items.map(\.path) == ["folder", "folder/kept"])
            try again.close()
            let clean = try ProtectedVolume.open(left, deviceKey: device)
            #expect(!clean.wasUnclean)
            try clean.close()
        }
        try made.close()
    }

    @Test func `modes that forbid reading do not keep it from looking`() throws {
        let volume = try ProtectedVolume.create(
            in: MemoryStore(), configuration: Self.configuration, passcode: nil,
            deviceKey: .inMemory())
        try volume.write([1], to: "file", mode: 0o200)
        try volume.makeFolder("folder")
        try volume.write([1], to: "folder/file", mode: 0o000)
        try volume.setAttributes(AttributeChange(mode: 0o000), of: "folder")
        // To root nothing is forbidden, so this proves something to any other user.
        let report = try volume.verify(repair: true)
        #expect(report.wholeCount == 3 && report.isWhole)
        try volume.close()
    }

    @Test func `without repair nothing is removed, and a damaged page is named`() throws {
        let device = try DeviceKey.inMemory()
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: nil, deviceKey: device)
        try volume.write([UInt8](repeating: 1, count: 9000), to: "a")
        let hostName = try #require(store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        let host = try store.root.openFile(hostName, writable: true)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        _ = try host.read(into: &span, at: 4096 + 100)
        try host.write([byte[0] ^ 0xFF].span, at: 4096 + 100)
        _ = try store.root.createFile(".new-left", mode: 0o600)
        var items: [VerifiedItem] = []
        let report = try volume.verify { items.append($0) }
        #expect(report.damagedCount == 1, "\(items)")
        #expect(report.leftoverCount == 1 && !report.isWhole)
        #expect(items.contains { $0.path == "a" && $0.finding == .damaged("page 1 is damaged") })
        #expect((try? store.root.attributes(of: ".new-left")) != nil)
        try volume.close()
    }

    @Test func `a folder without its record can still be listed, read and removed`() throws {
        let device = try DeviceKey.inMemory()
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store, configuration: Self.configuration, passcode: nil, deviceKey: device)
        try volume.makeFolder("f")
        try volume.write([4, 5], to: "f/a")
        let hostName = try #require(store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        try store.root.openFolder(hostName).removeFile(".folder")
        try volume.close()

        let opened = try ProtectedVolume.open(store, deviceKey: device)
        let entry = try #require(opened.list("f").first)
        #expect(entry.hasDamagedName)
        #expect(try opened.read("f/\(entry.name)") == [4, 5])
        #expect(throws: ProtectionError.self) { try opened.write([1], to: "f/b") }
        #expect(try opened.verify().damagedCount == 2)
        try opened.removeFile("f/\(entry.name)")
        try opened.removeFolder("f")
        #expect(try opened.list().isEmpty)
        try opened.close()
    }
}
