import Foundation
import TestSupport
import Testing

/// A process that is killed while it commits to two databases at once, in each journal mode.
@Suite("Killed processes with databases") struct DatabaseKillTests {
    private static let killCount = 25 * `Power cuts of a volume`.scale

    @Test(arguments: ["delete", "truncate", "persist", "wal"])
    func `keep what was committed, nothing else, and always open`(_ mode: String) throws {
        let folder = try ScratchFolder()
        let (path, keyPath) = (folder.path(of: "volume"), folder.path(of: "key"))
        let log = folder.path(of: "committed")
        _ = try DriverProcess.run("make", path, keyPath)
        var generator = SeededGenerator(seed: `Power cuts of a volume`.firstSeed)
        var openings = 0
        var rounds: Set<Int> = []
        for number in 0...Self.killCount {
            let driver = try DriverProcess("database", path, keyPath, [mode, log])
            let what = "\(mode), seed \(generator.seed), kill \(number)"
            // Now and then it is killed while it puts in order what the last one left.
            if number == Self.killCount || number % 8 != 7 {
                let committed = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                let last = committed.split(separator: "\n").last.flatMap { Int($0) } ?? 0
                let line = driver.line() ?? "nothing"
                let found = try #require(
                    line.hasPrefix("round ") ? Int(line.dropFirst(6)) : nil, "\(what): \(line)")
                // A commit that was not heard of any more may be there.
                try #require((last...last + 1).contains(found), "\(what): \(found), not \(last)")
                openings += 1
                rounds.insert(found)
            }
            usleep(UInt32.random(in: 0...120_000, using: &generator))
            driver.kill()
        }
        #expect(rounds.count > Self.killCount / 10)
        print(
            "database kills, \(mode): \(Self.killCount) kills, opened \(openings) times, "
                + "\(rounds.max() ?? 0) commits, 0 lost, 0 damaged")
    }
}
