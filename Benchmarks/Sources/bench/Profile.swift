import DataProtection

/// Writes, or reads, the same file again and again: something for a profiler to look at.
enum Profile {
    static func run(_ work: String, rounds: Int) throws {
        let byteCount = 64 << 20
        var content = [UInt8](repeating: 0x5A, count: byteCount)
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(cipher: .aes), passcode: nil, deviceKey: .inMemory())
        let file = try volume.openFile("file", [.read, .write, .create], class: .complete)
        try file.write(content, at: 0)
        for _ in 0..<rounds {
            if work == "write" {
                try file.write(content, at: 0)
            } else {
                var span = content.mutableSpan
                _ = try file.read(into: &span, at: 0)
            }
        }
    }
}
