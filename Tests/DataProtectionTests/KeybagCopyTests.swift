import DataProtection
import Foundation
import TestSupport
import Testing

/// The two copies of the keybag, the device key, and who may have a volume open.
@Suite struct `The keybag's copies` {
    private func write(_ bytes: [UInt8], _ name: String, _ rig: VolumeRig) throws {
        try rig.store.root.writeDurably(bytes, as: name)
    }

    private func bytes(_ name: String, _ rig: VolumeRig) throws -> [UInt8] {
        try rig.store.root.readAll(name, byteCountMaximum: 5000)
    }

    private func open(_ rig: VolumeRig) throws -> ProtectedVolume {
        try ProtectedVolume.open(rig.store, deviceKey: rig.device)
    }

    @Test(arguments: RigStore.allCases, [0, 1])
    func `stand in for each other, and are repaired`(store: RigStore, index: Int) throws {
        let name = ReservedName.keybags[index]
        let ruins: [(String, ([UInt8]) -> [UInt8]?)] = [
            ("missing", { _ in nil }), ("damaged", { $0.flipped(at: 200) }),
            ("damaged", { Array($0.prefix(4095)) }), ("damaged", { _ in [] }),
            ("damaged", { $0.flipped(at: 0) }), ("damaged", { $0.flipped(at: 4095) }),
        ]
        for (word, ruin) in ruins {
            let rig = try VolumeRig(store)
            try rig.volume.write([1], to: "f", class: .complete)
            try rig.volume.close()
            let whole = try bytes(name, rig)
            if let ruined = ruin(whole) {
                try write(ruined, name, rig)
            } else {
                try rig.store.root.removeFile(name)
            }
            let volume = try open(rig)
            #expect(volume.openingNotes.count == 1)
            #expect(volume.openingNotes.first?.contains("\(name) is \(word)") == true)
            #expect(try bytes(name, rig) == whole)
            try volume.unlock(passcode: Passcode(VolumeRig.passcode))
            #expect(try volume.read("f") == [1])
            try volume.close()
            let again = try open(rig)
            #expect(again.openingNotes.isEmpty)
        }
    }

    @Test(arguments: [0, 1])
    func `count by their generation`(index: Int) throws {
        let rig = try VolumeRig()
        let old = try bytes(ReservedName.keybags[index], rig)
        try rig.volume.changePasscode(
            from: Passcode(VolumeRig.passcode), to: Passcode("new"), cost: .cheap)
        try rig.volume.close()
        try write(old, ReservedName.keybags[index], rig)
        let volume = try open(rig)
        #expect(volume.openingNotes.first?.contains("is older") == true)
        #expect(
            refusal { try volume.unlock(passcode: Passcode(VolumeRig.passcode)) } == .wrongPasscode)
        try volume.unlock(passcode: Passcode("new"))
        #expect(try bytes(ReservedName.keybags[index], rig) != old)
    }

    @Test(arguments: [
        (HostError.accessDenied, ProtectionError.Code.forbidden), (HostError.inputOutput, .host),
        (HostError.tooManyDescriptors, .host), (HostError.isFolder, .damaged),
    ])
    func `that the host does not give are not called damaged`(
        code: Int32, expected: ProtectionError.Code
    ) throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f")
        try rig.volume.close()
        let image = try #require(rig.store as? MemoryStore).image()
        for unreadable in [ReservedName.keybags, [ReservedName.keybags[0]]] {
            var options = MemoryStore.Options()
            options.onCall = { call throws(HostError) in
                if call.operation == .openFile, unreadable.contains(call.name) {
                    throw HostError(code: code, call: "openat")
                }
            }
            let store = MemoryStore(image, options)
            let found = refusal { _ = try ProtectedVolume.open(store, deviceKey: rig.device) }
            #expect(found == (unreadable.count == 2 ? expected : nil))
        }
    }

    @Test func `that are both damaged are never replaced by new ones`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f")
        try rig.volume.close()
        let names = try rig.store.root.list().map(\.name).sorted()
        for name in ReservedName.keybags {
            try write(bytes(name, rig).flipped(at: 300), name, rig)
        }
        #expect(refusal { _ = try open(rig) } == .damaged)
        for name in ReservedName.keybags { try rig.store.root.removeFile(name) }
        #expect(refusal { _ = try open(rig) } == .damaged)
        #expect(
            refusal {
                _ = try ProtectedVolume.create(
                    in: rig.store, configuration: VolumeConfiguration(passcodeCost: .cheap),
                    passcode: nil, deviceKey: rig.device)
            } == .exists)
        let left = names.filter { !ReservedName.keybags.contains($0) }
        #expect(try rig.store.root.list().map(\.name).sorted() == left)
    }

    @Test func `of a newer format are said to be that, and left alone`() throws {
        let rig = try VolumeRig()
        try rig.volume.close()
        var newer = try bytes(".keybag-1", rig)
        newer[8] = 2
        for name in ReservedName.keybags { try write(newer, name, rig) }
        #expect(refusal { _ = try open(rig) } == .newerFormat)
        for name in ReservedName.keybags { #expect(try bytes(name, rig) == newer) }
    }

    @Test func `that were changed with a right checksum are refused`() throws {
        let rig = try VolumeRig()
        try rig.volume.close()
        var record = try rig.keybags()[0]
        record.defaultClass = ProtectionClass.none
        for name in ReservedName.keybags { try write(record.bytes, name, rig) }
        #expect(refusal { _ = try open(rig) } == .damaged)
    }

    @Test func `are missing where there is no volume`() throws {
        let scratch = try ScratchFolder()
        let device = try DeviceKey.inMemory()
        for path in [scratch.path, scratch.path(of: "nowhere"), scratch.path(of: "f")] {
            let code = refusal { _ = try ProtectedVolume.open(at: path, deviceKey: device) }
            #expect(code == .notAVolume || code == .missing, "\(path)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }
}

@Suite struct `A volume's owner` {
    @Test(arguments: RigStore.allCases) func `is one at a time`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        #expect(
            refusal { _ = try ProtectedVolume.open(rig.store, deviceKey: rig.device) } == .busy)
        guard store == .folder else { return }
        #expect(
            refusal { _ = try ProtectedVolume.open(at: rig.path, deviceKey: rig.device) } == .busy)
        try rig.volume.close()
        try rig.volume.close()
        try ProtectedVolume.open(at: rig.path, deviceKey: rig.device).close()
    }

    @Test func `reads and writes nothing after the close`() throws {
        for protectionClass in ProtectionClass.allCases {
            let rig = try VolumeRig()
            try rig.volume.write([1], to: "f", class: protectionClass)
            let file = try rig.volume.openFile("f", .readWrite)
            try rig.volume.close()
            #expect(refusal { _ = try file.read(at: 0, count: 1) } == .closed)
            #expect(refusal { try file.write([2], at: 0) } == .closed)
            #expect(refusal { try file.truncate(to: 0) } == .closed)
            #expect(refusal { try file.synchronize() } == .closed)
            #expect(refusal { try file.setProtectionClass(.none) } == .closed)
            #expect(refusal { try rig.unlock() } == .closed)
            #expect(refusal { try rig.volume.erase() } == .closed)
            #expect(rig.volume.lockState == .beforeFirstUnlock)
            let passcode = try Passcode(VolumeRig.passcode)
            #expect(
                refusal { _ = try rig.volume.makeRecoveryKey(passcode: passcode) } == .closed)
            let again = try ProtectedVolume.open(rig.store, deviceKey: rig.device)
            #expect(!again.wasUnclean)
            file.close()
        }
    }
}

@Suite struct `A device key` {
    @Test func `that is missing, another's or damaged is told apart`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path(of: "made/on/the/way/device.key")
        #expect(refusal { _ = try DeviceKey.load(from: path) } == .deviceKey)
        let device = try DeviceKey.loadOrCreate(at: path)
        let same = try DeviceKey.loadOrCreate(at: path)
        #expect(same.identifier == device.identifier)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let volume = scratch.path(of: "v")
        try ProtectedVolume.create(
            at: volume, configuration: VolumeConfiguration(passcodeCost: .cheap),
            passcode: Passcode("x"), deviceKey: device
        ).close()
        let other = try DeviceKey.loadOrCreate(at: scratch.path(of: "other.key"))
        #expect(
            refusal { _ = try ProtectedVolume.open(at: volume, deviceKey: other) } == .deviceKey)
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(whole.count == 64)
        for ruined in [Data(), whole.prefix(63), whole + [0], Data(Array(whole).flipped(at: 30))] {
            try ruined.write(to: URL(filePath: path))
            #expect(refusal { _ = try DeviceKey.load(from: path) } == .damaged)
            // A damaged one is never replaced: the volumes made with it would be lost.
            #expect(refusal { _ = try DeviceKey.loadOrCreate(at: path) } == .damaged)
        }
        try whole.write(to: URL(filePath: path))
        try ProtectedVolume.open(at: volume, deviceKey: DeviceKey.load(from: path)).close()
    }
}

extension [UInt8] {
    /// A copy with one bit changed.
    func flipped(at offset: Int) -> [UInt8] {
        var copy = self
        copy[offset] ^= 0x10
        return copy
    }
}
