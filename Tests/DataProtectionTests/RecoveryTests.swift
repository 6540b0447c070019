import DataProtection
import TestSupport
import Testing

/// The recovery key, another machine, private names, and the end of a volume.
@Suite struct `A recovery key` {
    private static func fill(_ volume: ProtectedVolume) throws {
        try volume.makeFolder("folder with a name")
        for protectionClass in ProtectionClass.allCases {
            try volume.write(
                pattern(5000), to: "folder with a name/\(protectionClass.name)",
                class: protectionClass)
        }
        try volume.write([1], to: String(repeating: "long", count: 60), class: .complete)
    }

    private static func check(_ volume: ProtectedVolume) throws {
        #expect(volume.lockState == .unlocked)
        #expect(
            try volume.list("folder with a name").map(\.name)
                == ProtectionClass.allCases.map(\.name).sorted())
        for protectionClass in ProtectionClass.allCases {
            let path = "folder with a name/\(protectionClass.name)"
            #expect(try volume.read(path) == pattern(5000))
            #expect(try volume.protectionClass(of: path) == protectionClass)
        }
        #expect(try volume.read(String(repeating: "long", count: 60)) == [1])
    }

    @Test(arguments: [VolumeCipher.aes, .chacha], [false, true])
    func `alone opens everything, and moves a volume to another machine`(
        cipher: VolumeCipher, hasPrivateNames: Bool
    ) throws {
        let rig = try VolumeRig(.folder, cipher: cipher, hasPrivateNames: hasPrivateNames)
        try Self.fill(rig.volume)
        let key = try rig.volume.makeRecoveryKey(passcode: Passcode(VolumeRig.passcode))
        try rig.volume.close()
        let volume = try ProtectedVolume.open(
            at: rig.path, recoveryKey: RecoveryKey(key.text.lowercased()))
        try Self.check(volume)
        let device = try DeviceKey.inMemory()
        try volume.restore(
            recoveryKey: key, deviceKey: device, passcode: Passcode("second"), cost: .cheap)
        try volume.close()
        #expect(
            refusal { _ = try ProtectedVolume.open(at: rig.path, deviceKey: rig.device) }
                == .deviceKey)
        let moved = try ProtectedVolume.open(at: rig.path, deviceKey: device)
        #expect(moved.lockState == .beforeFirstUnlock)
        #expect(
            refusal { try moved.unlock(passcode: Passcode(VolumeRig.passcode)) } == .wrongPasscode)
        try moved.unlock(passcode: Passcode("second"))
        try Self.check(moved)
        moved.lock()
        try moved.unlock(recoveryKey: key)
        try moved.close()
    }

    @Test func `is refused when another was made, or when it is removed`() throws {
        let rig = try VolumeRig()
        let passcode = try Passcode(VolumeRig.passcode)
        let first = try rig.volume.makeRecoveryKey(passcode: passcode)
        let second = try rig.volume.makeRecoveryKey(passcode: passcode)
        #expect(rig.volume.hasRecoveryKey)
        rig.volume.lock()
        #expect(refusal { try rig.volume.unlock(recoveryKey: first) } == .wrongPasscode)
        #expect(rig.volume.lockState == .locked)
        try rig.volume.unlock(recoveryKey: second)
        try rig.volume.removeRecoveryKey(passcode: passcode)
        #expect(!rig.volume.hasRecoveryKey)
        rig.volume.lock()
        #expect(refusal { try rig.volume.unlock(recoveryKey: second) } == .wrongPasscode)
        try rig.volume.close()
        #expect(
            refusal { _ = try ProtectedVolume.open(rig.store, recoveryKey: second) }
                == .wrongPasscode)
    }

    @Test func `is read in any case and spacing, and a slip is noticed`() throws {
        let text = RecoveryKey().text
        #expect(text.count == 44)
        #expect(text.split(separator: "-").map(\.count) == [Int](repeating: 4, count: 9))
        let plain = text.filter { $0 != "-" }
        for same in [text, plain, text.lowercased(), " \(text) ", plain.map { "\($0) " }.joined()] {
            #expect(try RecoveryKey(same).text == text)
        }
        #expect(
            try RecoveryKey(text.replacing("0", with: "o").replacing("1", with: "l")).text == text)
        var characters = Array(plain)
        for index in characters.indices {
            let right = characters[index]
            characters[index] = right == "7" ? "8" : "7"
            let slip = String(characters)
            #expect(refusal { _ = try RecoveryKey(slip) } == .wrongPasscode, "\(index)")
            characters[index] = right
        }
        for wrong in ["", "U" + plain.dropFirst(), String(plain.dropLast()), plain + "0"] {
            #expect(refusal { _ = try RecoveryKey(wrong) } == .wrongPasscode)
        }
    }

    @Test func `does not let a volume without device key change its passcode`() throws {
        let rig = try VolumeRig()
        let key = try rig.volume.makeRecoveryKey(passcode: Passcode(VolumeRig.passcode))
        try rig.volume.close()
        let volume = try ProtectedVolume.open(rig.store, recoveryKey: key)
        #expect(
            refusal {
                try volume.changePasscode(
                    from: Passcode(VolumeRig.passcode), to: Passcode("x"), cost: .cheap)
            } == .deviceKey)
        try volume.close()
    }
}

@Suite struct `A volume with private names` {
    @Test(arguments: RigStore.allCases)
    func `shows nothing before the first unlock, and everything after`(store: RigStore) throws {
        let rig = try VolumeRig(store, hasPrivateNames: true)
        try rig.volume.makeFolder("d", class: ProtectionClass.none)
        try rig.volume.write([1], to: "d/f")
        try rig.reboot()
        let calls: [() throws -> Void] = [
            { _ = try rig.volume.list() }, { _ = try rig.volume.read("d/f") },
            { _ = try rig.volume.attributes(of: "d/f") }, { try rig.volume.makeFolder("e") },
            { try rig.volume.write([1], to: "x", class: ProtectionClass.none) },
            { try rig.volume.removeFile("d/f") }, { try rig.volume.rename("d", to: "e") },
            { try rig.volume.setProtectionClass(.complete, of: "d") },
        ]
        for call in calls { #expect(Outcome(call) == .sealed) }
        try rig.unlock()
        #expect(try rig.volume.list("d").map(\.name) == ["f"])
        #expect(try rig.volume.read("d/f") == [1])
        rig.volume.lock()
        #expect(try rig.volume.list("d").map(\.name) == ["f"])
        #expect(try rig.volume.read("d/f") == [1])
        try rig.volume.write([2], to: "d/g")
        try rig.unlock()
        #expect(try rig.volume.list("d").map(\.name) == ["f", "g"])
    }
}

@Suite struct `An erased volume` {
    @Test(arguments: RigStore.allCases)
    func `is not a volume any more, and none is made in its place`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "f")
        let key = try rig.volume.makeRecoveryKey(passcode: Passcode(VolumeRig.passcode))
        let file = try rig.volume.openFile("f")
        rig.volume.lock()
        try rig.volume.erase()
        #expect(refusal { _ = try file.read(at: 0, count: 1) } == .closed)
        #expect(refusal { _ = try rig.volume.list() } == .closed)
        let names = try rig.store.root.list().map(\.name)
        #expect(!names.contains { ReservedName.keybags.contains($0) })
        #expect(
            refusal { _ = try ProtectedVolume.open(rig.store, deviceKey: rig.device) } == .damaged)
        #expect(
            refusal { _ = try ProtectedVolume.open(rig.store, recoveryKey: key) } == .damaged)
        #expect(
            refusal {
                _ = try ProtectedVolume.create(
                    in: rig.store, configuration: VolumeConfiguration(passcodeCost: .cheap),
                    passcode: nil, deviceKey: rig.device)
            } == .exists)
    }
}
