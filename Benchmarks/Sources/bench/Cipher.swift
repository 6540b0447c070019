import CBaseline
import DataProtection

/// The cipher's own time for an amount of content, in C: what a put or get cannot do without.
enum Cipher {
    static func run(mebibyteCount: Int) {
        let pageCount = 64
        let runCount = (mebibyteCount << 20) / (pageCount * 4052)
        var content = [UInt8](repeating: 1, count: pageCount * 4052)
        var pages = [UInt8](repeating: 0, count: pageCount * 4096)
        var key = [UInt8](repeating: 7, count: 32)
        let baseline = baseline_new(1, &key)
        defer { baseline_free(baseline) }
        let sealing = seconds {
            for _ in 0..<runCount {
                baseline_seal(baseline, content, &pages, pageCount, 4052, 4096)
            }
        }
        let opening = seconds {
            for _ in 0..<runCount {
                _ = baseline_open(baseline, pages, &content, pageCount, 4052, 4096)
            }
        }
        print(sealing.rounded(to: 4), opening.rounded(to: 4))
    }
}

/// Many files in one volume: memory must not grow with their number.
enum Many {
    static func run(path: String, fileCount: Int) throws {
        let volume = try ProtectedVolume.create(
            at: path, passcode: nil, deviceKey: .inMemory())
        for number in 0..<fileCount {
            if number % 1000 == 0 { try volume.makeFolder("folder \(number / 1000)") }
            let file = try volume.openFile(
                "folder \(number / 1000)/file \(number)", [.write, .create], class: .complete)
            try file.write([UInt8](repeating: 1, count: 100), at: 0)
            file.close()
        }
        var count = 0
        for folder in try volume.list() {
            for entry in try volume.list(folder.name) {
                count += try volume.read("\(folder.name)/\(entry.name)").count
            }
        }
        precondition(count == fileCount * 100)
        try volume.close()
    }
}
