import DataProtection
import Testing

struct SmokeTests {
    @Test func `a volume in memory keeps what it is given`() throws {
        let device = try DeviceKey.inMemory()
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(passcodeCost: .interactive),
            passcode: Passcode("1234"), deviceKey: device)
        try volume.makeFolder("a")
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try volume.write(bytes, to: "a/b", class: .complete)
        #expect(try volume.read("a/b") == bytes)
        let file = try volume.openFile("a/b", .readWrite)
        volume.lock()
        #expect(throws: ProtectionError.self) { try file.read(at: 0, count: 1) }
        try volume.unlock(passcode: Passcode("1234"))
        #expect(try file.read(at: 99_990, count: 100) == Array(bytes.suffix(10)))
        try file.truncate(to: 5000)
        try file.truncate(to: 500_000)
        #expect(
            try file.read(at: 4990, count: 20) == Array(bytes[4990..<5000])
                + [UInt8](repeating: 0, count: 10))
        #expect(try volume.list("a").map(\.name) == ["b"])
        file.close()
        try volume.close()
    }
}
