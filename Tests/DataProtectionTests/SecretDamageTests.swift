import DataProtection
import Foundation
import SimulatedDevice
import TestSupport
import Testing

/// Secrets whose bytes somebody changed, and changes that something came between.
@Suite struct SecretDamageTests {
    private static func path(of key: String) -> String {
        "Library/Secrets/" + SecretRecord.fileName(of: Array(key.utf8))
    }

    @Test func `bytes that are not what was written are damaged, and can be set anew`() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        try secrets.add(Data([1, 2, 3]), forKey: "k", accessibility: .whenUnlocked)
        try rig.reopen()
        try rig.flip(Self.path(of: "k"), at: 700)
        let after = rig.volume.secrets
        let error = #expect(throws: ProtectionError.self) { try after.read("k") }
        #expect(error?.code == .damaged && error?.place == "k")
        rig.volume.lock()
        #expect(throws: ProtectionError.self) { try after.read("k") }
        try rig.unlock()
        try after.update(Data([4]), forKey: "k")
        #expect(try after.read("k") == Data([4]))
    }

    @Test func `secrets that were exchanged under their names are found out`() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        try secrets.add(Data([1]), forKey: "mine", accessibility: .whenUnlocked)
        try secrets.add(Data([2]), forKey: "yours", accessibility: .whenUnlocked)
        try rig.volume.rename(
            Self.path(of: "mine"), to: Self.path(of: "yours"), rule: .exchange)
        for key in ["mine", "yours"] {
            #expect(throws: ProtectionError.anothersSecret.at(key)) { try secrets.read(key) }
        }
    }

    @Test func `a secret that does not tell how it is kept is read, and asks before it changes`()
        throws
    {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        try secrets.add(Data([1]), forKey: "k", accessibility: .whenPasscodeSet)
        try secrets.add(Data([2]), forKey: "other", accessibility: .whenUnlocked)
        for key in ["k", "other"] {
            try rig.volume.setUserAttribute(
                SecretRecord.attributeName, to: [9], of: Self.path(of: key))
        }
        #expect(try secrets.read("k") == Data([1]))
        #expect(try secrets.secret("k")?.accessibility == nil)
        #expect(throws: ProtectionError.damagedAccessibility.at("k")) {
            try secrets.update(Data([2]), forKey: "k")
        }
        // What the attribute does not tell any more is in the file.
        try rig.volume.removePasscode(Passcode(VolumeRig.passcode))
        #expect(try secrets.read("k") == nil)
        #expect(try secrets.read("other") == Data([2]))
    }

    @Test func `a file of somebody else's among them is left alone`() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        try secrets.add(Data([1]), forKey: "k", accessibility: .whenUnlocked)
        try rig.volume.write([1], to: "Library/Secrets/not a secret")
        try rig.volume.write(Array("no secret".utf8), to: Self.path(of: "text"))
        try rig.volume.write(
            SecretRecord(key: [107], flags: [], value: [1]).bytes.map { $0 ^ 0x80 },
            to: Self.path(of: "noise"))
        #expect(try secrets.list().map(\.key) == ["k", "noise", "text"])
        for key in ["noise", "text"] {
            let error = #expect(throws: ProtectionError.self) { try secrets.read(key) }
            #expect(error?.code == .damaged)
        }
        var newer = SecretRecord(key: Array("text".utf8), flags: [], value: [1]).bytes
        newer[7] = 2
        try rig.volume.write(newer, to: Self.path(of: "text"))
        let error = #expect(throws: ProtectionError.self) { try secrets.read("text") }
        #expect(error?.code == .newerFormat)
    }

    /// Every host call of a change fails once, and the power goes.
    @Test(arguments: ["add", "update", "set", "removePasscode"])
    func `whatever comes between, a secret has its old value or its new one`(change: String) throws
    {
        let (old, new) = (Data([1, 1, 1]), Data(repeating: 2, count: 4000))
        var completedCount = 0
        for failing in 0..<80 {
            let device = try SimulatedDevice()
            let secrets = try device.volume.secrets
            if change != "add" {
                try secrets.add(old, forKey: "k", accessibility: .afterFirstUnlock)
            }
            try secrets.add(old, forKey: "p", accessibility: .whenPasscodeSet)
            device.failNextHostCalls(1, after: failing)
            var failure: (any Error)?
            do {
                switch change {
                case "add": try secrets.add(new, forKey: "k", accessibility: .whenUnlocked)
                case "update": try secrets.update(new, forKey: "k")
                case "set": try secrets.set(new, forKey: "k", accessibility: .whenUnlocked)
                default: try device.volume.removePasscode(Passcode("1234"))
                }
            } catch {
                failure = error
            }
            if failure == nil { completedCount += 1 }
            device.failNextHostCalls(0)
            try device.cutPower(seed: UInt64(failing))
            try device.boot()
            let volume = try device.volume
            if volume.hasPasscode { try device.unlock(passcode: "1234") }
            let after = volume.secrets
            if change == "removePasscode" {
                #expect(try after.read("k") == old, "\(failing)")
                if failure == nil { #expect(!volume.hasPasscode, "\(failing)") }
                if !volume.hasPasscode { #expect(try after.read("p") == nil, "\(failing)") }
            } else {
                let found = try after.read("k")
                let former = change == "add" ? nil : old
                #expect(found == new || (failure != nil && found == former), "\(failing)")
                #expect(try after.read("p") == old, "\(failing)")
            }
        }
        // It failed at each call, until the one that fails came after the last.
        #expect((1..<70).contains(completedCount))
    }
}
