import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// Public reports about backups, restores and early starts (docs/reports.md).
@Suite struct `Reports of backups and starts` {
    @Test(
        "libimobiledevice#125: a copy that is made while locked can name what it had to leave out")
    func backup() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("sub")
        for protectionClass in ProtectionClass.allCases {
            for folder in ["", "sub/"] {
                try rig.volume.write(
                    [1], to: folder + protectionClass.name, class: protectionClass)
            }
        }
        rig.volume.lock()
        var copied: [String] = []
        var left: [String] = []
        for folder in ["", "sub/"] {
            for entry in try rig.volume.list(folder) where entry.kind == .file {
                let path = folder + entry.name
                #expect(try rig.volume.attributes(of: path).size == 1)
                if (try? rig.volume.read(path)) != nil {
                    copied.append(path)
                } else {
                    #expect(try rig.volume.attributes(of: path).isSealed)
                    left.append(path)
                }
            }
        }
        #expect(
            left == ["complete", "completeUnlessOpen", "sub/complete", "sub/completeUnlessOpen"])
        #expect(copied.count == 4)
    }

    @Test("ChatSecure-iOS#764: data of another device is called that, and a recovery key opens it")
    func restored() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.write([7], to: "db")
        let recovery = try rig.volume.makeRecoveryKey(passcode: Passcode(VolumeRig.passcode))
        try rig.volume.close()
        let scratch = try ScratchFolder()
        let copy = scratch.path(of: "restored")
        try FileManager.default.copyItem(atPath: rig.path, toPath: copy)
        let newDevice = try DeviceKey.inMemory()
        do {
            _ = try ProtectedVolume.open(at: copy, deviceKey: newDevice)
            Issue.record("it opened with another device's key")
        } catch {
            #expect(error.code == .deviceKey && !error.remedy.isEmpty)
        }
        let volume = try ProtectedVolume.open(at: copy, recoveryKey: recovery)
        #expect(try volume.read("db") == [7])
        try volume.close()
    }

    @Test(
        "developer.apple.com/forums/thread/768842: what is set while locked survives or is refused")
    func setWhileLocked() throws {
        let rig = try VolumeRig()
        for protectionClass in ProtectionClass.allCases {
            try rig.volume.write([1], to: protectionClass.name, class: protectionClass)
        }
        rig.volume.lock()
        var expected: [String: [UInt8]] = [:]
        for protectionClass in ProtectionClass.allCases {
            let name = protectionClass.name
            let set = refusal { try rig.volume.write([2], to: name, class: protectionClass) }
            #expect(set == nil || set == .sealed)
            expected[name] = set == nil ? [2] : [1]
        }
        #expect(expected["complete"] == [1])
        // A new process after a reboot sees what was promised.
        let image = try #require(rig.store as? MemoryStore).image()
        let volume = try ProtectedVolume.open(MemoryStore(image), deviceKey: rig.device)
        try volume.unlock(passcode: Passcode(VolumeRig.passcode))
        for (name, content) in expected { #expect(try volume.read(name) == content, "\(name)") }
    }

    @Test(
        "developer.apple.com/forums/thread/763886: a process that starts early works on in the end")
    func prewarmed() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "store", class: .completeUnlessOpen)
        try rig.reboot()
        for _ in 0..<10 {
            rig.clock.advance(by: .seconds(60))
            #expect(refusal { _ = try rig.volume.read("store") } == .sealed)
            #expect(try rig.volume.list().map(\.name) == ["store"])
        }
        try rig.unlock()
        #expect(try rig.volume.read("store") == [7])
        try rig.volume.write([8], to: "store", class: .completeUnlessOpen)
        #expect(try rig.volume.read("store") == [8])
    }

    @Test(
        "developer.apple.com/forums/thread/773180: whatever a library makes has the folder's class")
    func unknowing() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("a", class: .complete)
        // A library that knows nothing of classes: folders, files, temporary files, renames.
        try rig.volume.makeFolder("a/support")
        try rig.volume.makeFolder("a/support/deep")
        try rig.volume.write([1], to: "a/support/store")
        try rig.volume.write([1], to: "a/support/store.tmp")
        try rig.volume.rename("a/support/store.tmp", to: "a/support/store")
        let file = try rig.volume.openFile("a/support/deep/log", [.write, .create])
        try file.append([1])
        for path in ["a/support", "a/support/deep", "a/support/store", "a/support/deep/log"] {
            #expect(try rig.volume.protectionClass(of: path) == .complete, "\(path)")
        }
    }

    @Test("openradar 14560931: reading at the moment of the unlock succeeds or is sealed")
    func momentOfUnlock() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "f", class: .complete)
        let volume = rig.volume
        let outcomes = Mutex<Set<Outcome>>([])
        for _ in 0..<1000 {
            volume.lock()
            let crew = Crew()
            crew.start {
                let found = Outcome {
                    let content = try volume.read("f")
                    #expect(content == [7])
                }
                outcomes.withLock { _ = $0.insert(found) }
            }
            try rig.unlock()
            crew.wait()
        }
        #expect(outcomes.withLock { $0 }.isSubset(of: [.done, .sealed]))
        #expect(try volume.read("f") == [7])
    }

    @Test("inactivity reboot: before the first unlock is a state like any other, again and again")
    func inactivity() throws {
        let rig = try VolumeRig()
        for number in 0..<5 {
            try rig.reboot()
            try rig.volume.write(
                [UInt8(number)], to: "waiting\(number)", class: .completeUnlessOpen)
            #expect(refusal { _ = try rig.volume.read("waiting\(number)") } == .sealed)
            if number % 2 == 0 { try rig.unlock() }
        }
        try rig.unlock()
        for number in 0..<5 { #expect(try rig.volume.read("waiting\(number)") == [UInt8(number)]) }
    }

    @Test("secondary guides: the table of classes says what is enforced")
    func table() throws {
        let text = try String(
            contentsOf: Repository.file("Sources/DataProtection/Classes/ProtectionClass.swift"),
            encoding: .utf8)
        var rows = 0
        for line in text.split(separator: "\n") where line.hasPrefix("/// | `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = cells[1].trimmingCharacters(in: ["`"])
            let protectionClass = try #require(ProtectionClass(named: name))
            #expect(cells[2] == String(protectionClass.letter))
            let rig = try VolumeRig()
            try rig.volume.write(canary, to: "f", class: protectionClass)
            let handle = try rig.volume.openFile("f", .read)
            rig.volume.lock()
            let works = { (call: () throws -> Void) in refusal(call) == nil }
            #expect(
                works { try rig.volume.write([1], to: "g", class: protectionClass) }
                    == (cells[4] == "yes"))
            let existence = [
                "only while unlocked": [false, false, false],
                "while unlocked, and while the file stays open": [false, true, false],
                "from the first unlock on": [true, true, false],
                "always; the file is still encrypted": [true, true, true],
            ]
            var found = [works { _ = try rig.volume.read("f") }]
            found.append(works { _ = try handle.read(at: 0, count: 1) })
            #expect(try !HostView(rig.store).contains(canary))
            try rig.reboot()
            found.append(works { _ = try rig.volume.read("f") })
            #expect(existence[cells[3]] == found, "\(name)")
            rows += 1
        }
        #expect(rows == 4)
    }
}
