import DataProtection

/// Does one thing again and again, in memory: something for a profiler to look at.
enum Profile {
    static func run(_ work: String, rounds: Int) throws {
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(cipher: .aes), passcode: nil, deviceKey: .inMemory())
        switch work {
        case "write", "read": try sequential(volume, isWriting: work == "write", rounds)
        case "random-read", "random-write", "append": try parts(volume, work, rounds)
        default: try small(volume, work, rounds)
        }
    }

    private static func sequential(
        _ volume: ProtectedVolume, isWriting: Bool, _ rounds: Int
    ) throws {
        var content = [UInt8](repeating: 0x5A, count: 64 << 20)
        let file = try volume.openFile("file", [.read, .write, .create], class: .complete)
        try file.write(content, at: 0)
        for _ in 0..<rounds {
            if isWriting {
                try file.write(content, at: 0)
            } else {
                var span = content.mutableSpan
                _ = try file.read(into: &span, at: 0)
            }
        }
    }

    private static func parts(_ volume: ProtectedVolume, _ work: String, _ rounds: Int) throws {
        let file = try volume.openFile("file", [.read, .write, .create], class: .complete)
        try file.write([UInt8](repeating: 0x5A, count: 64 << 20), at: 0)
        let block = [UInt8](repeating: 1, count: 4096)
        let line = [UInt8](repeating: 1, count: 100)
        for index in 0..<rounds * 10_000 {
            let place = Int64((index * 2_654_435_761) % 16384 * 4096)
            switch work {
            case "append": try file.append(line)
            case "random-read": _ = try file.read(at: place, count: 4096)
            default: try file.write(block, at: place)
            }
        }
    }

    private static func small(_ volume: ProtectedVolume, _ work: String, _ rounds: Int) throws {
        let paths = (0..<10_000).map { "folder/file number \($0)" }
        try volume.makeFolder("folder")
        func fill() throws {
            for path in paths {
                let file = try volume.openFile(path, [.write, .create])
                try file.write([UInt8](repeating: 1, count: 200), at: 0)
                file.close()
            }
        }
        if work != "create" { try fill() }
        for _ in 0..<rounds {
            switch work {
            case "list": _ = try volume.list("folder")
            case "stat": for path in paths { _ = try volume.attributes(of: path) }
            case "open": for path in paths { _ = try volume.read(path) }
            default:
                try fill()
                for path in paths { try volume.removeFile(path) }
            }
        }
    }
}
