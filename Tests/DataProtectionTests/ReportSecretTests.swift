import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// Public reports about keychain items, re-enacted with the store of secrets (docs/reports.md).
@Suite struct `Reports about secrets` {
    private static let token = Data("token".utf8)

    @Test("react-native-keychain#558: the matrix of accessibilities and states has no surprise")
    func matrix() throws {
        let readable: [SecretAccessibility: [LockState]] = [
            .whenUnlocked: [.unlocked, .grace], .whenPasscodeSet: [.unlocked, .grace],
            .afterFirstUnlock: [.unlocked, .grace, .locked],
        ]
        for (accessibility, states) in readable {
            for state in [LockState.beforeFirstUnlock, .unlocked, .grace, .locked] {
                let rig = try VolumeRig()
                try rig.volume.secrets.add(
                    Self.token, forKey: "t", accessibility: accessibility)
                try rig.enter(state)
                let answer = refusal { _ = try rig.volume.secrets.read("t") }
                #expect(answer == (states.contains(state) ? nil : .sealed))
            }
        }
    }

    @Test("p2/OAuth2#116, its items: what was kept otherwise before is found and changed")
    func migration() throws {
        let rig = try VolumeRig()
        try rig.volume.secrets.add(Self.token, forKey: "refresh", accessibility: .whenUnlocked)
        // The next version wants it in the background.
        let found = try #require(try rig.volume.secrets.read("refresh"))
        try rig.volume.secrets.set(found, forKey: "refresh", accessibility: .afterFirstUnlock)
        rig.volume.lock()
        #expect(try rig.volume.secrets.read("refresh") == Self.token)
        #expect(try rig.volume.secrets.list().count == 1)
    }

    @Test("wire-ios#100: an item is made with its accessibility named, and keeps it")
    func named() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        // `add` has no default; what changes the value alone changes nothing else.
        try secrets.add(Self.token, forKey: "push key", accessibility: .afterFirstUnlock)
        try secrets.update(Data([1]), forKey: "push key")
        rig.volume.lock()
        #expect(try secrets.read("push key") == Data([1]))
        #expect(try secrets.secret("push key")?.accessibility == .afterFirstUnlock)
    }

    @Test("lisk-mobile#1884: on another device items of this one are absent, others present")
    func bound() throws {
        let rig = try VolumeRig()
        let passcode = try Passcode(VolumeRig.passcode)
        let recovery = try rig.volume.makeRecoveryKey(passcode: passcode)
        let secrets = rig.volume.secrets
        try secrets.add(
            Self.token, forKey: "bound", accessibility: .whenUnlocked, thisDeviceOnly: true)
        try secrets.add(Self.token, forKey: "free", accessibility: .whenUnlocked)
        try rig.volume.close()
        let elsewhere = try ProtectedVolume.open(rig.store, recoveryKey: recovery)
        #expect(try elsewhere.secrets.read("free") == Self.token)
        #expect(refusal { _ = try elsewhere.secrets.read("bound") } == .deviceKey)
        #expect(try elsewhere.secrets.list().map(\.isThisDeviceOnly) == [true, false])
    }

    @Test("noop#636: what needs the passcode never leaves the device, without being told")
    func passcodeBound() throws {
        let rig = try VolumeRig()
        try rig.volume.secrets.add(
            Self.token, forKey: "api", accessibility: .whenPasscodeSet, thisDeviceOnly: false)
        #expect(try rig.volume.secrets.secret("api")?.isThisDeviceOnly == true)
        let recovery = try rig.volume.makeRecoveryKey(passcode: Passcode(VolumeRig.passcode))
        try rig.volume.close()
        let elsewhere = try ProtectedVolume.open(rig.store, recoveryKey: recovery)
        #expect(refusal { _ = try elsewhere.secrets.read("api") } == .deviceKey)
    }
}
