import CBaseline
import DataProtection
import FoundationEssentials
import Glibc

/// Files of a volume against files of a plain folder on the same host: many small ones, and parts
/// of big ones. The numbers are those of the page cache; nothing is synchronised.
enum Files {
    static func run(folder: String, count: Int, rounds: Int) throws {
        let device = try DeviceKey.inMemory()
        let volume = try ProtectedVolume.create(
            at: folder + "/volume", passcode: nil, deviceKey: device)
        let plain = PlainFolder(folder + "/plain")
        print("| what | volume, µs each | plain, µs each | ratio |")
        print("|---|---|---|---|")
        try small(volume, plain, count, rounds)
        try parts(volume, plain, rounds)
        try together(volume, plain, rounds)
        try volume.close()
    }

    static func row(_ what: String, _ times: PairedTimes, per count: Int) {
        row(what, Array(zip(times.first, times.second)), per: count)
    }

    private static func row(_ what: String, _ times: [(Double, Double)], per count: Int) {
        let unit = 1e6 / Double(count)
        print(
            "| \(what) | \((median(times.map(\.0)) * unit).rounded(to: 2)) "
                + "| \((median(times.map(\.1)) * unit).rounded(to: 2)) "
                + "| \(median(times.map { $0.0 / $0.1 }).rounded(to: 2)) |")
    }

    /// Create, stat, list, read, delete.
    private static func small(
        _ volume: ProtectedVolume, _ plain: PlainFolder, _ count: Int, _ rounds: Int
    ) throws {
        let bytes = [UInt8](repeating: 7, count: 200)
        let names = (0..<count).map { "file number \($0)" }
        try volume.makeFolder("small")
        let paths = names.map { "small/" + $0 }
        func each(
            _ what: String, _ one: (String) throws -> Void, _ other: (String) -> Void
        ) throws {
            row(
                what,
                try PairedTimes(pairCount: 1) {
                    for path in paths { try one(path) }
                } against: {
                    for name in names { other(name) }
                }, per: count)
        }
        func fill() throws {
            for path in paths { try volume.create(path, bytes) }
            for name in names { plain.create(name, bytes) }
        }
        var times: [(Double, Double)] = []
        for round in 0..<rounds {
            if round > 0 { try empty(volume, plain, paths, names) }
            let first = try seconds { for path in paths { try volume.create(path, bytes) } }
            let second = seconds { for name in names { plain.create(name, bytes) } }
            times.append((first, second))
        }
        row("create \(count) files of 200 bytes", times, per: count)
        try each("attributes of each", { _ = try volume.attributes(of: $0) }, plain.stat)
        try list(volume, plain, count, rounds)
        try each("read each", { _ = try volume.read($0) }, { plain.read($0, 200) })
        times = []
        for round in 0..<rounds {
            if round > 0 { try fill() }
            times.append(try empty(volume, plain, paths, names))
        }
        row("delete each", times, per: count)
    }

    /// Listing through Foundation's calls and through the bare ones; the names' cipher is shown
    /// apart.
    private static func list(
        _ volume: ProtectedVolume, _ plain: PlainFolder, _ count: Int, _ rounds: Int
    ) throws {
        let bare = try PairedTimes(pairCount: rounds) {
            let found = try volume.list("small").count
            precondition(found == count)
        } against: {
            precondition(plain.list() == count)
        }
        row("list the folder, per entry, against readdir(3)", bare, per: count)
        let shaped = try PairedTimes(pairCount: rounds) {
            let found = try volume.files.contentsOfDirectory(atPath: "small").count
            precondition(found == count)
        } against: {
            let found = try FileManager.default.contentsOfDirectory(atPath: plain.path).count
            precondition(found == count)
        }
        row("list the folder, per entry, through Foundation's calls", shaped, per: count)
        let cipher = PairedTimes(pairCount: rounds) {
            baseline_names(count, "file number 12345".utf8.count)
        } against: {
        }
        let ratios = zip(shaped.first, zip(shaped.second, cipher.first)).map {
            $0 / ($1.0 + $1.1)
        }
        let each = (median(cipher.first) / Double(count) * 1e6).rounded(to: 2)
        print(
            "| the same against Foundation's plus the names' cipher in C (\(each) µs) | | "
                + "| \(median(ratios).rounded(to: 2)) |")
    }

    /// Removes all; how long it took.
    @discardableResult
    private static func empty(
        _ volume: ProtectedVolume, _ plain: PlainFolder, _ paths: [String], _ names: [String]
    ) throws -> (Double, Double) {
        (
            try seconds { for path in paths { try volume.removeFile(path) } },
            seconds { for name in names { plain.remove(name) } }
        )
    }

    private static let blockCount = 8192

    /// Random 4 KiB, and lines at the end.
    private static func parts(
        _ volume: ProtectedVolume, _ plain: PlainFolder, _ rounds: Int
    ) throws {
        let file = try volume.openFile("big", [.read, .write, .create])
        let plainFile = plain.openFile("big")
        let whole = [UInt8](repeating: 1, count: 4096 * blockCount)
        try file.write(whole, at: 0)
        plainFile.write(whole, at: 0)
        let block = [UInt8](repeating: 2, count: 4096)
        let places = (0..<20_000).map { ($0 * 2_654_435_761) % blockCount * 4096 }
        row(
            "random 4 KiB reads",
            try PairedTimes(pairCount: rounds) {
                for place in places { _ = try file.read(at: Int64(place), count: 4096) }
            } against: {
                for place in places { plainFile.read(at: place, count: 4096) }
            }, per: places.count)
        row(
            "random 4 KiB writes",
            try PairedTimes(pairCount: rounds) {
                for place in places { try file.write(block, at: Int64(place)) }
            } against: {
                for place in places { plainFile.write(block, at: place) }
            }, per: places.count)
        let line = [UInt8](repeating: 3, count: 100)
        let log = try volume.openFile("log", [.write, .append, .create])
        let plainLog = plain.openFile("log")
        var end = 0
        row(
            "append lines of 100 bytes",
            try PairedTimes(pairCount: rounds) {
                for _ in 0..<20_000 { try log.append(line) }
            } against: {
                for _ in 0..<20_000 {
                    plainLog.write(line, at: end)
                    end += line.count
                }
            }, per: 20_000)
    }
}

extension ProtectedVolume {
    fileprivate func create(_ path: String, _ bytes: [UInt8]) throws {
        let file = try openFile(path, [.write, .create, .exclusive])
        try file.write(bytes, at: 0)
        file.close()
    }
}
