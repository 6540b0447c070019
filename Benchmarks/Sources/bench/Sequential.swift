import CBaseline
import DataProtection

/// Sequential reading and writing in memory, against the cipher alone in C on the same pages.
enum Sequential {
    private static let payloadByteCount = 4052
    private static let pageByteCount = 4096
    private static let pageCount = 65536
    private static let chunkByteCount = 1 << 20

    static func run(pairCount: Int) throws {
        print("| cipher | work | library, MB/s | cipher alone in C, MB/s | library / C | target |")
        print("|---|---|---|---|---|---|")
        for cipher in [VolumeCipher.aes, .chacha] {
            try run(cipher, pairCount: pairCount)
        }
    }

    private static func run(_ cipher: VolumeCipher, pairCount: Int) throws {
        let byteCount = pageCount * payloadByteCount
        let content = [UInt8](repeating: 0x5A, count: byteCount)
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(cipher: cipher), passcode: nil,
            deviceKey: .inMemory())
        let file = try volume.openFile("file", [.read, .write, .create], class: .complete)
        try file.write(content, at: 0)

        var output = [UInt8](repeating: 0, count: pageCount * pageByteCount)
        var opened = [UInt8](repeating: 0, count: byteCount)
        var key = [UInt8](repeating: 7, count: 32)
        let baseline = baseline_new(cipher == .aes ? 1 : 2, &key)
        defer { baseline_free(baseline) }

        let writing = try PairedTimes(pairCount: pairCount) {
            for start in stride(from: 0, to: byteCount, by: chunkByteCount) {
                let end = min(start + chunkByteCount, byteCount)
                try file.write(content.span.extracting(start..<end), at: Int64(start))
            }
        } against: {
            baseline_seal(baseline, content, &output, pageCount, payloadByteCount, pageByteCount)
        }
        report(cipher, "write", writing, byteCount)

        let reading = try PairedTimes(pairCount: pairCount) {
            for start in stride(from: 0, to: byteCount, by: chunkByteCount) {
                let end = min(start + chunkByteCount, byteCount)
                var span = opened.mutableSpan
                var part = span._mutatingExtracting(start..<end)
                _ = try file.read(into: &part, at: Int64(start))
            }
        } against: {
            precondition(
                baseline_open(baseline, output, &opened, pageCount, payloadByteCount, pageByteCount)
                    == 1)
        }
        report(cipher, "read", reading, byteCount)
    }

    private static func report(
        _ cipher: VolumeCipher, _ work: String, _ times: PairedTimes, _ byteCount: Int
    ) {
        let library = Double(byteCount) / median(times.first) / 1e6
        let alone = Double(byteCount) / median(times.second) / 1e6
        print(
            "| \(cipher.rawValue) | \(work) | \(library.rounded(to: 0)) | \(alone.rounded(to: 0))",
            "| \((1 / times.ratio).rounded(to: 2)) | ≥ 0.8 |")
    }
}
