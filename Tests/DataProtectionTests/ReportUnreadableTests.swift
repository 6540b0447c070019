import DataProtection
import Synchronization
import TestSupport
import Testing

/// Public reports in which something unreadable was taken for empty, missing or broken
/// (docs/reports.md).
@Suite struct `Reports of data that was lost while locked` {
    @Test("async-storage#270: a failed read is never an empty store")
    func manifest() throws {
        let rig = try VolumeRig()
        try StateClient(volume: rig.volume, path: "manifest").add("old")
        try rig.reboot()
        let client = StateClient(volume: rig.volume, path: "manifest")
        #expect(refusal { try client.add("new") } == .sealed)
        try rig.unlock()
        #expect(try client.load() == ["old"])
        try client.add("new")
        #expect(try client.load() == ["old", "new"])
    }

    @Test("async-storage#88: a refused write says that it may be tried again")
    func retry() throws {
        let rig = try VolumeRig()
        let client = StateClient(volume: rig.volume, path: "f", protectionClass: .complete)
        try client.add("first")
        rig.volume.lock()
        for _ in 0..<3 {
            #expect(refusal { try client.add("second") } == .sealed)
            let outcome = refusal {
                try rig.volume.write([1], to: "f", class: .complete)
            }
            #expect(outcome == .sealed)
        }
        try rig.unlock()
        try client.add("second")
        #expect(try client.load() == ["first", "second"])
    }

    @Test("Meshtastic-Apple#2247: locked is not corrupt, and corrupt is not locked")
    func recovery() throws {
        let rig = try VolumeRig()
        try rig.volume.write(pattern(9000), to: "store")
        // A program that starts afresh when its store is broken.
        let recoverOnDamage = { () throws(ProtectionError) in
            do throws(ProtectionError) { _ = try rig.volume.read("store") } catch {
                guard error.code == .damaged else { throw error }
                try rig.volume.rename("store", to: "broken")
                try rig.volume.write([], to: "store")
            }
        }
        try rig.reboot()
        let before = try HostView(rig.store)
        #expect(refusal { try recoverOnDamage() } == .sealed)
        #expect(try HostView(rig.store) == before)
        try rig.unlock()
        try recoverOnDamage()
        #expect(try rig.volume.read("store") == pattern(9000))
        let entry = try #require(rig.store.root.list().first { !$0.name.hasPrefix(".") })
        let file = try rig.store.root.openFile(entry.name, writable: true)
        let changed: [UInt8] = [1, 2, 3]
        try file.write(changed.span, at: 5000)
        try recoverOnDamage()
        #expect(try rig.volume.read("store").isEmpty)
        #expect(try rig.volume.list().map(\.name) == ["broken", "store"])
    }

    @Test("openradar 16761393: settings that could not be loaded are not written back empty")
    func settings() throws {
        let rig = try VolumeRig()
        let lines = (0..<20).map { "setting \($0)" }
        for line in lines { try StateClient(volume: rig.volume, path: "settings").add(line) }
        try rig.reboot()
        let client = StateClient(volume: rig.volume, path: "settings")
        #expect(refusal { _ = try client.load() } == .sealed)
        #expect(refusal { try client.add("changed") } == .sealed)
        // Not even what needs no reading is written over it: the class that it would get is sealed.
        #expect(refusal { try rig.volume.write([], to: "settings") } == .sealed)
        try rig.unlock()
        #expect(try client.load() == lines)
    }

    @Test("LoopFollow#710: before the first unlock a read is an error, not a default")
    func sentinel() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "preference")
        try rig.reboot()
        #expect(refusal { _ = try rig.volume.read("preference") } == .sealed)
        #expect(refusal { _ = try rig.volume.openFile("preference") } == .sealed)
        // The file is known to be there all the same.
        #expect(try rig.volume.attributes(of: "preference").isSealed)
        #expect(refusal { _ = try rig.volume.read("other") } == .missing)
    }

    @Test("SalesforceMobileSDK-iOS#3437: what cannot be read now is no reason to delete")
    func deletion() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "account", class: .complete)
        rig.volume.lock()
        let loadOrDelete = { () throws(ProtectionError) in
            do throws(ProtectionError) { _ = try rig.volume.read("account") } catch {
                if error.code == .damaged { try rig.volume.removeFile("account") }
                throw error
            }
        }
        do {
            try loadOrDelete()
            Issue.record("it was read while locked")
        } catch {
            #expect(error.code == .sealed && !error.remedy.isEmpty)
            #expect(error.remedy.contains("unlock"))
        }
        try rig.unlock()
        #expect(try rig.volume.read("account") == [7])
    }

    @Test("SignalServiceKit#99: opening before the first unlock makes and removes nothing")
    func untouched() throws {
        let rig = try VolumeRig()
        for number in 0..<10 { try rig.volume.write(pattern(100), to: "f\(number)") }
        try rig.volume.close()
        let before = try HostView(rig.store)
        let volume = try ProtectedVolume.open(rig.store, deviceKey: rig.device)
        for number in 0..<10 {
            #expect(refusal { _ = try volume.read("f\(number)") } == .sealed)
            #expect(refusal { try volume.write([1], to: "f\(number)") } == .sealed)
        }
        #expect(try volume.list().count == 10)
        try volume.close()
        #expect(try HostView(rig.store) == before)
    }

    @Test("Signal-iOS#1578: twenty threads at a locked start are all refused, and none begins anew")
    func threads() async throws {
        let rig = try VolumeRig()
        try StateClient(volume: rig.volume, path: "db").add("row")
        try rig.reboot()
        let volume = rig.volume
        let refusals = await withTaskGroup(of: ProtectionError.Code?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    refusal {
                        try StateClient(volume: volume, path: "db").add("first run \(number)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.count == 20 && refusals.allSatisfy { $0 == .sealed })
        try rig.unlock()
        #expect(try StateClient(volume: volume, path: "db").load() == ["row"])
    }

    @Test("flowcrypt-ios#1373: no new key is made where ciphertext is")
    func keys() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.write([7], to: "mail")
        try rig.reboot()
        let volume = rig.volume
        let createIfAbsent = { () throws in
            let file = try volume.openFile("key", [.write, .create, .exclusive], class: .complete)
            try file.write([1], at: 0)
        }
        #expect(refusal { try createIfAbsent() } == .sealed)
        try volume.close()
        let create = { (device: DeviceKey) throws in
            _ = try ProtectedVolume.create(
                at: rig.path, passcode: Passcode("another"), deviceKey: device)
        }
        #expect(refusal { try create(rig.device) } == .exists)
        #expect(refusal { try create(.inMemory()) } == .exists)
        // Not even when the keybag is gone does the rest count as nothing.
        for name in [".keybag-1", ".keybag-2"] {
            try rig.store.root.rename(
                name, to: rig.store.root, as: "." + name, rule: .exclusive)
        }
        #expect(refusal { try create(rig.device) } == .exists)
        #expect(
            refusal { _ = try ProtectedVolume.open(at: rig.path, deviceKey: rig.device) }
                == .damaged)
    }

    @Test("analytics-ios#865: an identity is known, absent or unknown, never made up")
    func identity() throws {
        let rig = try VolumeRig()
        #expect(refusal { _ = try rig.volume.read("id") } == .missing)
        try rig.volume.write([4, 2], to: "id")
        for state in [LockState.unlocked, .locked, .beforeFirstUnlock] {
            try rig.enter(state)
            let found = refusal { _ = try rig.volume.read("id") }
            #expect(found == (state == .beforeFirstUnlock ? .sealed : nil), "\(state)")
            try rig.unlock()
            #expect(try rig.volume.read("id") == [4, 2])
        }
    }

    @Test("ably-cocoa#1196: a device whose secret is sealed does not register again")
    func registration() throws {
        let rig = try VolumeRig()
        var registrationCount = 0
        let register = { () throws(ProtectionError) in
            do throws(ProtectionError) { _ = try rig.volume.read("secret") } catch {
                guard error.code == .missing else { throw error }
                registrationCount += 1
                try rig.volume.write([UInt8(registrationCount)], to: "secret")
            }
        }
        try register()
        try rig.reboot()
        for _ in 0..<5 { #expect(refusal { try register() } == .sealed) }
        try rig.unlock()
        try register()
        #expect(registrationCount == 1)
        #expect(try rig.volume.read("secret") == [1])
    }
}
