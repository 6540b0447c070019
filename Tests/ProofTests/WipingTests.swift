import DataProtection
import Foundation
import Glibc
import TestSupport
import Testing

/// What a process that embeds the library holds in its memory, in each lock state.
@Suite(
    .enabled(if: geteuid() == 0, "only root can read the memory of another process"),
    .serialized)
struct `Keys in memory` {
    private static let passcode = "passcode of the wiping proof 4711"

    /// The plaintext that the driver writes into a file, as far as it repeats.
    private static func canary(_ letter: Character, _ number: Int) -> [UInt8] {
        (0..<32).map {
            UInt8(
                truncatingIfNeeded: $0 * 37 + Int(letter.asciiValue!) * 11 + number * 3 + 5)
        }
    }

    private static func canaries() -> [(name: String, bytes: [UInt8])] {
        (0..<100).map { ("A plaintext", canary("A", $0)) }
            + "BCD".flatMap { letter in
                (0..<3).map { ("\(letter) plaintext", canary(letter, $0)) }
            }
    }

    @Test(arguments: [VolumeCipher.aes, .chacha])
    func `are gone when the lock state says so`(_ cipher: VolumeCipher) throws {
        let folder = try ScratchFolder()
        let (path, keyPath) = (folder.path(of: "volume"), folder.path(of: "key"))
        let deviceKey = try DeviceKey.loadOrCreate(at: keyPath)
        try ProtectedVolume.create(
            at: path,
            configuration: VolumeConfiguration(cipher: cipher, passcodeCost: ProofVolume.cost),
            passcode: Passcode(Self.passcode), deviceKey: deviceKey
        ).close()
        let driver = try DriverProcess("secrets", path, keyPath)
        let secrets = try ProofSecrets(
            volume: path, deviceKey: deviceKey, passcode: Self.passcode)
        try secrets.addPasscodeKeys(Self.passcode, deviceKey)

        #expect(driver.line() == "before first unlock")
        let early = try MemorySearch(secrets.classes).hits(in: driver.identifier)
        #expect(early.keys.sorted() == ["class D key"])

        unlock(driver)
        #expect(driver.line() == "unlocked")
        try secrets.readFiles(volume: path)
        let all = secrets.classes + secrets.files.values.flatMap { $0 } + Self.canaries()
        let search = MemorySearch(all)
        let open = try search.hits(in: driver.identifier)
        print("wiping, \(cipher), unlocked: \(open.sorted { $0.key < $1.key })")
        for name in ["class A key", "class B private key", "class C key", "class D key"] {
            #expect(open[name] ?? 0 > 0, "\(name)")
        }
        // Both halves of a hundred keys: the search finds what is there.
        #expect(open["A file key"] ?? 0 >= 200)

        if cipher == .aes { #expect(open["A cipher key"] ?? 0 > 0) }

        driver.send("\n")
        #expect(driver.line() == "locked")
        try expectLocked(search.hits(in: driver.identifier), cipher, "locked")

        driver.send("\n")
        #expect(driver.line() == "B still works")
        let used = try search.hits(in: driver.identifier)
        #expect(used["B file key"] ?? 0 >= 6)
        try expectLocked(used, cipher, "B still works")

        driver.send("\n")
        #expect(driver.line() == "B closed")
        let closed = try search.hits(in: driver.identifier)
        #expect(closed["B file key"] == nil && closed["B cipher key"] == nil)
        try expectLocked(closed, cipher, "B closed")

        unlock(driver)
        #expect(driver.line() == "unlocked again")
        driver.send("\n")
        #expect(driver.line() == "closed")
        let end = try search.hits(in: driver.identifier)
        #expect(end.isEmpty, "\(end)")
    }

    private func unlock(_ driver: DriverProcess) {
        driver.send("\n")
        #expect(driver.line() == "passcode")
        driver.send(Self.passcode + "\n")
    }

    /// What no locked volume may hold, and what it must hold.
    private func expectLocked(
        _ hits: [String: Int], _ cipher: VolumeCipher, _ moment: String
    ) throws {
        print("wiping, \(cipher), \(moment): \(hits.sorted { $0.key < $1.key })")
        let gone = [
            "class A key", "class B private key", "keybag secret", "passcode key", "slot key",
            "passcode", "A file key", "A cipher key", "A plaintext", "B plaintext",
        ]
        for name in gone { #expect(hits[name] == nil, "\(name), \(moment)") }
        for name in ["class C key", "class D key", "C file key", "D file key"] {
            #expect(hits[name] ?? 0 > 0, "\(name), \(moment)")
        }
    }
}
