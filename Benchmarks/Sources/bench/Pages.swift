import DataProtection

/// What the page layout costs: small rewrites, and the size of a closed file.
enum Pages {
    static func run(folder: String?, rounds: Int) throws {
        print("| store | what | µs each |")
        print("|---|---|---|")
        let device = try DeviceKey.inMemory()
        try measure(
            "memory", try ProtectedVolume.inMemory(passcode: nil, deviceKey: device), rounds)
        guard let folder else { return }
        let volume = try ProtectedVolume.create(
            at: folder + "/volume", passcode: nil, deviceKey: device)
        try measure("folder", volume, rounds)
        try volume.close()
    }

    private static func measure(
        _ store: String, _ volume: ProtectedVolume, _ rounds: Int
    ) throws {
        let blockCount = 4096
        let file = try volume.openFile("file", [.read, .write, .create])
        try file.write([UInt8](repeating: 1, count: blockCount * 4096), at: 0)
        let aligned = [UInt8](repeating: 2, count: 4096)
        let wholePage = [UInt8](repeating: 3, count: 4052)
        func each(_ what: String, _ body: (Int64) throws -> Void) throws {
            var times: [Double] = []
            for _ in 0..<rounds {
                times.append(
                    try seconds {
                        for index in 0..<4000 { try body(Int64((index * 2654435761) % 4000)) }
                    })
            }
            print("| \(store) | \(what) | \((median(times) / 4000 * 1e6).rounded(to: 2)) |")
        }
        try each("rewrite 4096 bytes at a multiple of 4096 (two pages)") {
            try file.write(aligned, at: 4096 * $0)
        }
        try each("rewrite exactly one page (4052 bytes)") {
            try file.write(wholePage, at: 3540 + 4052 * $0)
        }
        try each("read 4096 bytes at a multiple of 4096") {
            _ = try file.read(at: 4096 * $0, count: 4096)
        }
        try each("rewrite 100 bytes") { try file.write(Array(aligned[..<100]), at: 4096 * $0) }
        file.close()
        try each("attributes of a closed file of 16 MiB") { _ in
            _ = try volume.attributes(of: "file")
        }
        try each("open and close it") { _ in try volume.openFile("file").close() }
    }
}
