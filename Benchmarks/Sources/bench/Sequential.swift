import CBaseline
import DataProtection

/// Sequential reading and writing in memory, against the cipher alone in C on the same pages: a file that
/// fits into the processor's cache, and one that does not.
struct Sequential {
    private static let payloadByteCount = 4052
    private static let pageByteCount = 4096
    private static let chunkByteCount = 1 << 20
    private static let pageCountOfPasses = 65536

    private let pageCount: Int
    /// How often the file is gone over, so that each measurement is long enough.
    private var passCount: Int { Self.pageCountOfPasses / pageCount }

    static func run(pairCount: Int) throws {
        print(
            "| cipher | file | work | library, MB/s | cipher alone in C, MB/s | library / C | target |"
        )
        print("|---|---|---|---|---|---|---|")
        for cipher in [VolumeCipher.aes, .chacha] {
            try Sequential(pageCount: 256).run(cipher, pairCount: pairCount)
            try Sequential(pageCount: pageCountOfPasses).run(cipher, pairCount: pairCount)
        }
    }

    private func run(_ cipher: VolumeCipher, pairCount: Int) throws {
        let byteCount = pageCount * Self.payloadByteCount
        let content = [UInt8](repeating: 0x5A, count: byteCount)
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(cipher: cipher), passcode: nil,
            deviceKey: .inMemory())
        let file = try volume.openFile("file", [.read, .write, .create], class: .complete)
        try file.write(content, at: 0)

        var output = [UInt8](repeating: 0, count: pageCount * Self.pageByteCount)
        var opened = [UInt8](repeating: 0, count: byteCount)
        var key = [UInt8](repeating: 7, count: 32)
        let baseline = baseline_new(cipher == .aes ? 1 : 2, &key)
        defer { baseline_free(baseline) }

        let writing = try PairedTimes(pairCount: pairCount) {
            for _ in 0..<passCount {
                for start in stride(from: 0, to: byteCount, by: Self.chunkByteCount) {
                    let end = min(start + Self.chunkByteCount, byteCount)
                    try file.write(content.span.extracting(start..<end), at: Int64(start))
                }
            }
        } against: {
            for _ in 0..<passCount {
                baseline_seal(
                    baseline, content, &output, pageCount, Self.payloadByteCount, Self.pageByteCount
                )
            }
        }
        report(cipher, "write", writing, byteCount)

        let reading = try PairedTimes(pairCount: pairCount) {
            for _ in 0..<passCount {
                for start in stride(from: 0, to: byteCount, by: Self.chunkByteCount) {
                    let end = min(start + Self.chunkByteCount, byteCount)
                    var span = opened.mutableSpan
                    var part = span._mutatingExtracting(start..<end)
                    _ = try file.read(into: &part, at: Int64(start))
                }
            }
        } against: {
            for _ in 0..<passCount {
                precondition(
                    baseline_open(
                        baseline, output, &opened, pageCount, Self.payloadByteCount,
                        Self.pageByteCount)
                        == 1)
            }
        }
        report(cipher, "read", reading, byteCount)
    }

    private func report(
        _ cipher: VolumeCipher, _ work: String, _ times: PairedTimes, _ byteCount: Int
    ) {
        let library = Double(byteCount * passCount) / median(times.first) / 1e6
        let alone = Double(byteCount * passCount) / median(times.second) / 1e6
        print(
            "| \(cipher.rawValue) | \((pageCount * Self.pageByteCount) >> 20) MiB | \(work)",
            "| \(library.rounded(to: 0)) | \(alone.rounded(to: 0))",
            "| \((1 / times.ratio).rounded(to: 2)) | ≥ 0.8 |")
    }
}
