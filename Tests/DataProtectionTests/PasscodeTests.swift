import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// Passcodes, and what changing one touches.
@Suite struct `A passcode` {
    @Test(arguments: [VolumeCipher.aes, .chacha])
    func `changes without a file being touched`(cipher: VolumeCipher) throws {
        let rig = try VolumeRig(.folder, cipher: cipher)
        for protectionClass in ProtectionClass.allCases {
            try rig.volume.write(
                pattern(9000), to: protectionClass.name, class: protectionClass)
        }
        try rig.volume.makeFolder("d")
        try rig.volume.write([1], to: "d/f")
        let slots = try rig.keybags().map { Set($0.slots.map(\.identifier)) }
        let before = try rig.hostFiles()
        try rig.volume.changePasscode(
            from: Passcode(VolumeRig.passcode), to: Passcode("new"), cost: .cheap)
        let after = try rig.hostFiles()
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        #expect(changed == [".keybag-1", ".keybag-2"])
        for (name, old) in zip([".keybag-1", ".keybag-2"], slots) {
            let bytes = try #require(after[name])
            for identifier in old { #expect(!bytes.contains(identifier), "\(name)") }
        }
        for old in try #require(before[".keybag-1"]).slotWraps() {
            #expect(!after.values.contains { $0.contains(old) })
        }
        try rig.reboot()
        #expect(refusal { try rig.unlock() } == .wrongPasscode)
        #expect(rig.volume.lockState == .beforeFirstUnlock)
        try rig.volume.unlock(passcode: Passcode("new"))
        for protectionClass in ProtectionClass.allCases {
            #expect(try rig.volume.read(protectionClass.name) == pattern(9000))
        }
    }

    @Test func `is not changed by somebody who does not know it`() throws {
        let rig = try VolumeRig()
        let wrong: [Passcode?] = [try Passcode("wrong"), nil]
        for old in wrong {
            #expect(
                refusal {
                    try rig.volume.changePasscode(from: old, to: Passcode("new"), cost: .cheap)
                } == .wrongPasscode)
            #expect(
                refusal { _ = try rig.volume.makeRecoveryKey(passcode: old) } == .wrongPasscode)
        }
        try rig.reboot()
        #expect(refusal { try rig.volume.unlock(passcode: Passcode("new")) } == .wrongPasscode)
        try rig.unlock()
        #expect(!rig.volume.hasRecoveryKey)
    }

    @Test func `is the same however Unicode spells it`() throws {
        let rig = try VolumeRig(passcode: "na\u{EF}ve \u{212B}ngstro\u{308}m")
        try rig.reboot()
        try rig.volume.unlock(passcode: Passcode("nai\u{308}ve A\u{30A}ngstr\u{F6}m"))
        #expect(rig.volume.lockState == .unlocked)
        #expect(
            refusal { try rig.volume.unlock(passcode: Passcode("naive Angstrom")) }
                == .wrongPasscode)
    }

    @Test func `has 1 to 1024 bytes of UTF-8 in normal form`() throws {
        #expect(refusal { _ = try Passcode("") } == .invalidArgument)
        #expect(refusal { _ = try Passcode("a\u{0}b") } == .invalidArgument)
        #expect(refusal { _ = try Passcode(utf8: [0xFF]) } == .invalidArgument)
        #expect(
            refusal { _ = try Passcode(String(repeating: "x", count: 1025)) } == .invalidArgument)
        #expect(refusal { _ = try Passcode(String(repeating: "x", count: 1024)) } == nil)
        #expect(refusal { _ = try Passcode(String(repeating: "u\u{308}", count: 512)) } == nil)
    }

    @Test func `that is wrong changes nothing, in any state`() throws {
        let rig = try VolumeRig()
        for state in TruthRow.states {
            try rig.enter(state)
            #expect(refusal { try rig.volume.unlock(passcode: Passcode("x")) } == .wrongPasscode)
            #expect(rig.volume.lockState == state)
            try rig.unlock()
        }
    }
}

extension VolumeRig {
    /// Both copies of the keybag, as they are on the host.
    func keybags() throws -> [KeybagRecord] {
        try ReservedName.keybags.map {
            try KeybagRecord(bytes: store.root.readAll($0, byteCountMaximum: 5000))
        }
    }

    /// Every host file of a folder store by its path, without times; links by their targets.
    func hostFiles() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let manager = FileManager.default
        for name in try manager.subpathsOfDirectory(atPath: path) where name != ".lock" {
            let full = path + "/" + name
            if let target = try? manager.destinationOfSymbolicLink(atPath: full) {
                files[name] = Array(target.utf8)
            } else if let data = manager.contents(atPath: full) {
                files[name] = Array(data)
            } else {
                files[name] = []
            }
        }
        return files
    }
}

extension [UInt8] {
    /// The wrapped secrets of a keybag's slots.
    fileprivate func slotWraps() -> [[UInt8]] {
        stride(from: 240, to: 1520, by: 160).filter { self[$0] != 0 }.map {
            Array(self[$0 + 48..<$0 + 120])
        }
    }
}
