import DataProtection
import Foundation
import TestSupport
import Testing

/// Processes that save and send, and are killed; some while another one waits for the outbox.
@Suite struct `Killed processes with an outbox` {
    private static let killCount = 60 * `Power cuts of a volume`.scale

    @Test func `lose nothing that was saved, and send nothing under two keys`() throws {
        let folder = try ScratchFolder()
        let (path, keyPath) = (folder.path(of: "volume"), folder.path(of: "key"))
        _ = try DriverProcess.run("make", path, keyPath)
        var generator = SeededGenerator(seed: `Power cuts of a volume`.firstSeed)
        var waiting: DriverProcess?
        for number in 0..<Self.killCount {
            let driver = try waiting ?? DriverProcess("outbox", path, keyPath, [folder.path])
            try #require(driver.line() == "ready", "seed \(generator.seed), kill \(number)")
            waiting = nil
            if number % 3 == 0 {
                let other = try DriverProcess("outbox", path, keyPath, [folder.path])
                // One process has the outbox; the other one is told so, and gets it after that.
                try #require(other.line() == "busy")
                waiting = other
            }
            usleep(UInt32.random(in: 0...40_000, using: &generator))
            driver.kill()
        }
        waiting?.kill()
        let end = try DriverProcess.run("outbox-finish", path, keyPath, [folder.path])
        #expect(end.hasSuffix("left 0 damaged 0 leftovers 0"), "\(end)")

        func lines(_ name: String) throws -> [Substring] {
            try String(contentsOfFile: folder.path(of: name), encoding: .utf8).split(
                separator: "\n")
        }
        let saved = Set(try lines("saved"))
        let arrived = try lines("arrived").map { $0.split(separator: " ") }
        var keys: [Substring: Set<Substring>] = [:]
        for arrival in arrived { keys[arrival[1], default: []].insert(arrival[0]) }
        let lost = saved.subtracting(keys.keys)
        #expect(lost.isEmpty, "seed \(generator.seed): lost \(lost)")
        #expect(keys.values.allSatisfy { $0.count == 1 }, "seed \(generator.seed)")
        #expect(saved.count > Self.killCount)
        let again = arrived.count - keys.count
        print(
            "outbox kills: \(Self.killCount) kills, \(saved.count) items, 0 lost, "
                + "\(again) deliveries repeated under their keys")
    }
}
