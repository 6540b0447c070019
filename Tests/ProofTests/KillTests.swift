import DataProtection
import Foundation
import TestSupport
import Testing

/// A process that is killed while it replaces files, changes classes and passcodes.
@Suite struct `Killed processes` {
    private static let killCount = 200 * `Power cuts of a volume`.scale

    @Test func `leave an old or a new file, class and passcode`() throws {
        let folder = try ScratchFolder()
        let (path, keyPath) = (folder.path(of: "volume"), folder.path(of: "key"))
        _ = try DriverProcess.run("make", path, keyPath)
        var generator = SeededGenerator(seed: `Power cuts of a volume`.firstSeed)
        var passcodes: Set<String> = []
        var leftovers: Set<String> = []
        for number in 0..<Self.killCount {
            let driver = try DriverProcess("churn", path, keyPath)
            if number % 8 != 7 { try #require(driver.line() == "ready") }
            usleep(UInt32.random(in: 0...20_000, using: &generator))
            driver.kill()
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            leftovers.formUnion(names.filter { $0.hasPrefix(".") })
            let found = try DriverProcess.run("check", path, keyPath, ["churn"])
            try #require(
                found.hasPrefix("fine "), "seed \(generator.seed), kill \(number): \(found)")
            passcodes.insert(found)
        }
        let reserved = [".keybag-1", ".keybag-2", ".marker", ".lock", ".folder"]
        let strange = leftovers.subtracting(reserved).filter {
            !$0.hasPrefix(".new-") && !$0.hasPrefix(".gone-")
        }
        #expect(strange.isEmpty)
        #expect(passcodes == ["fine one", "fine two"])
        let count = leftovers.subtracting(reserved).count
        print("kill: \(Self.killCount) kills, 0 damaged, \(count) leftovers that a repair sweeps")
    }
}
