import DataProtection
import Foundation
import TestSupport
import Testing

/// Small secrets: the keychain's rules, on a volume.
@Suite struct SecretTests {
    private static let value = Data("correct horse battery staple".utf8)

    /// What a read answers; `nil` stands for sealed.
    private static let matrix: [(SecretAccessibility, [LockState: Bool])] = [
        (
            .whenUnlocked,
            [.beforeFirstUnlock: false, .unlocked: true, .grace: true, .locked: false]
        ),
        (
            .afterFirstUnlock,
            [.beforeFirstUnlock: false, .unlocked: true, .grace: true, .locked: true]
        ),
        (
            .whenPasscodeSet,
            [.beforeFirstUnlock: false, .unlocked: true, .grace: true, .locked: false]
        ),
    ]

    @Test(arguments: [false, true])
    func `a secret is readable when its accessibility says so, and else sealed, never missing`(
        thisDeviceOnly: Bool
    ) throws {
        for (accessibility, states) in Self.matrix {
            for (state, isReadable) in states {
                let rig = try VolumeRig()
                try rig.volume.secrets.add(
                    Self.value, forKey: "token", accessibility: accessibility,
                    thisDeviceOnly: thisDeviceOnly)
                try rig.enter(state)
                let secrets = rig.volume.secrets
                if isReadable {
                    #expect(try secrets.read("token") == Self.value, "\(accessibility) \(state)")
                } else {
                    let error = #expect(throws: ProtectionError.self) { try secrets.read("token") }
                    #expect(error?.code == .sealed, "\(accessibility) \(state)")
                }
                #expect(try secrets.read("other") == nil, "\(accessibility) \(state)")
                let told = try #require(try secrets.list().first)
                #expect(told.key == "token" && told.accessibility == accessibility)
                #expect(told.isSealed == !isReadable)
                #expect(
                    told.isThisDeviceOnly == (thisDeviceOnly || accessibility == .whenPasscodeSet))
            }
        }
    }

    @Test func `with private names nothing is told before the first unlock, not even missing`()
        throws
    {
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.volume.secrets.add(Self.value, forKey: "a", accessibility: .afterFirstUnlock)
        try rig.reboot()
        for key in ["a", "b"] {
            let error = #expect(throws: ProtectionError.self) {
                try rig.volume.secrets.read(key)
            }
            #expect(error?.code == .sealed)
        }
        try rig.unlock()
        #expect(try rig.volume.secrets.read("a") == Self.value)
        #expect(try rig.volume.secrets.read("b") == nil)
    }

    @Test func `adding keeps what is there, updating needs it, setting takes both`() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        #expect(try secrets.list().isEmpty)
        #expect(throws: ProtectionError.noSecret.at("k")) {
            try secrets.update(Self.value, forKey: "k")
        }
        try secrets.add(Data([1]), forKey: "k", accessibility: .afterFirstUnlock)
        rig.volume.lock()
        // Also one that could not be read now is there.
        try rig.unlock()
        #expect(throws: ProtectionError.secretExists.at("k")) {
            try secrets.add(Data([2]), forKey: "k", accessibility: .whenUnlocked)
        }
        #expect(try secrets.read("k") == Data([1]))
        try secrets.update(Data([3]), forKey: "k")
        #expect(try secrets.read("k") == Data([3]))
        #expect(try secrets.secret("k")?.accessibility == .afterFirstUnlock)
        try secrets.set(Data([4]), forKey: "k", accessibility: .whenUnlocked, thisDeviceOnly: true)
        try secrets.set(Data(), forKey: "empty", accessibility: .whenUnlocked)
        #expect(try secrets.read("k") == Data([4]))
        #expect(try secrets.read("empty") == Data())
        #expect(try secrets.secret("k")?.accessibility == .whenUnlocked)
        #expect(try secrets.secret("k")?.isThisDeviceOnly == true)
        #expect(try secrets.list().map(\.key) == ["empty", "k"])
        #expect(try secrets.delete("k"))
        #expect(try !secrets.delete("k"))
        #expect(try secrets.read("k") == nil)
    }

    @Test func `while locked what is for the background can be changed, and anything deleted`()
        throws
    {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        try secrets.add(Data([1]), forKey: "b", accessibility: .afterFirstUnlock)
        try secrets.add(Data([1]), forKey: "a", accessibility: .whenUnlocked)
        rig.volume.lock()
        try secrets.update(Data([2]), forKey: "b")
        #expect(try secrets.read("b") == Data([2]))
        for change in [
            { try secrets.update(Data([2]), forKey: "a") },
            { try secrets.set(Data([2]), forKey: "a", accessibility: .whenUnlocked) },
            { try secrets.add(Data([2]), forKey: "c", accessibility: .whenUnlocked) },
        ] {
            let error = #expect(throws: ProtectionError.self) { try change() }
            #expect(error?.code == .sealed)
        }
        try rig.unlock()
        #expect(try secrets.read("a") == Data([1]))
        rig.volume.lock()
        #expect(try secrets.delete("a"))
        try rig.unlock()
        #expect(try secrets.read("a") == nil)
        #expect(try secrets.read("c") == nil)
    }

    @Test func `limits refuse loudly, and leave what was there`() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        let longest = Data(repeating: 7, count: SecretStore.valueByteLimit)
        try secrets.add(longest, forKey: "v", accessibility: .whenUnlocked)
        #expect(try secrets.read("v") == longest)
        #expect(throws: ProtectionError.self) {
            try secrets.update(longest + [0], forKey: "v")
        }
        #expect(try secrets.read("v") == longest)
        let key = String(repeating: "é/\0", count: SecretStore.keyByteLimit / 4)
        try secrets.add(Data([1]), forKey: key, accessibility: .whenUnlocked)
        #expect(try secrets.read(key) == Data([1]))
        #expect(try secrets.list().map(\.key) == ["v", key].sorted())
        for bad in ["", String(repeating: "a", count: SecretStore.keyByteLimit + 1)] {
            let error = #expect(throws: ProtectionError.self) { try secrets.read(bad) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `removing the passcode takes what needs one, and nothing else`() throws {
        let rig = try VolumeRig()
        let secrets = rig.volume.secrets
        for accessibility in SecretAccessibility.allCases {
            try secrets.add(
                Self.value, forKey: accessibility.rawValue, accessibility: accessibility)
        }
        #expect(throws: ProtectionError.wrongPasscode) {
            try rig.volume.removePasscode(Passcode("wrong"))
        }
        #expect(try secrets.list().count == 3)
        rig.volume.lock()
        try rig.volume.removePasscode(Passcode(VolumeRig.passcode))
        #expect(rig.volume.lockState == .unlocked)
        #expect(!rig.volume.hasPasscode)
        #expect(try secrets.list().map(\.key) == ["afterFirstUnlock", "whenUnlocked"])
        rig.volume.lock()
        #expect(try secrets.read("whenUnlocked") == Self.value)
        #expect(throws: ProtectionError.secretNeedsPasscode.at("n")) {
            try secrets.add(Self.value, forKey: "n", accessibility: .whenPasscodeSet)
        }
        try rig.reboot()
        #expect(rig.volume.lockState == .unlocked)
        #expect(try rig.volume.secrets.read("whenPasscodeSet") == nil)
        #expect(try rig.volume.secrets.read("whenUnlocked") == Self.value)
    }

    @Test func `another device gets what may leave this one, with the recovery key`() throws {
        let rig = try VolumeRig()
        let passcode = try Passcode(VolumeRig.passcode)
        let recovery = try rig.volume.makeRecoveryKey(passcode: passcode)
        try rig.volume.secrets.add(Self.value, forKey: "may", accessibility: .whenUnlocked)
        try rig.volume.secrets.add(
            Self.value, forKey: "may not", accessibility: .afterFirstUnlock, thisDeviceOnly: true)
        try rig.volume.close()
        let copy = try ProtectedVolume.open(rig.store, recoveryKey: recovery)
        #expect(try copy.secrets.read("may") == Self.value)
        #expect(throws: ProtectionError.openedWithoutDeviceKey) {
            try copy.secrets.read("may not")
        }
        let other = try DeviceKey.inMemory()
        try copy.restore(recoveryKey: recovery, deviceKey: other, passcode: passcode, cost: .cheap)
        try copy.close()
        let there = try ProtectedVolume.open(rig.store, deviceKey: other)
        try there.unlock(passcode: passcode)
        #expect(try there.secrets.read("may") == Self.value)
        #expect(throws: ProtectionError.anotherDevicesSecret) {
            try there.secrets.read("may not")
        }
        // It can still be replaced.
        try there.secrets.set(Self.value, forKey: "may not", accessibility: .whenUnlocked)
        #expect(try there.secrets.read("may not") == Self.value)
    }

    @Test func `a secret that waits for the unlock is read then`() async throws {
        let rig = try VolumeRig()
        try rig.volume.secrets.add(Self.value, forKey: "k", accessibility: .whenUnlocked)
        rig.volume.lock()
        let secrets = rig.volume.secrets
        let reading = Task { try await secrets.readWhenAvailable("k") }
        let absent = Task { try await secrets.readWhenAvailable("absent") }
        #expect(try await absent.value == nil)
        try rig.unlock()
        #expect(try await reading.value == Self.value)
        rig.volume.lock()
        let cancelled = Task { try await secrets.readWhenAvailable("k") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let closed = Task { try await secrets.readWhenAvailable("k") }
        try rig.volume.close()
        await #expect(throws: (any Error).self) { try await closed.value }
    }
}
