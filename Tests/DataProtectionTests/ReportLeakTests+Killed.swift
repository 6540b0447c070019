import DataProtection
import Synchronization
import TestSupport
import Testing

extension `Reports of logs and leaks` {
    @Test("zodl-ios#1827: an export that is cancelled or killed leaves nothing behind")
    func export() throws {
        struct Cancelled: Error {}
        let rig = try VolumeRig()
        for _ in 0..<2 { try rig.volume.write(canary, to: "export", class: .complete) }
        #expect(throws: Cancelled.self) {
            try rig.volume.replaceFile("export", class: .complete) { file in
                try file.append(Array("half".utf8))
                throw Cancelled()
            }
        }
        #expect(try rig.volume.read("export") == canary)
        #expect(try HostView(rig.store).count == 5)
        // Killed in the middle: what is left has a name that tells, and is swept.
        var image: MemoryImage?
        try rig.volume.replaceFile("export", class: .complete) { file in
            try file.append(canary)
            image = (rig.store as? MemoryStore)?.image()
        }
        let store = MemoryStore(try #require(image))
        let volume = try ProtectedVolume.open(store, deviceKey: rig.device)
        try volume.unlock(passcode: Passcode(VolumeRig.passcode))
        #expect(try volume.list().map(\.name) == ["export"])
        #expect(try HostView(store).count == 6)
        _ = try volume.verify(repair: true) { _ in }
        #expect(try HostView(store).count == 5)
        #expect(try !HostView(store).contains(canary))
    }

    @Test("aliasvault#2354: a save that is killed at any call leaves no plaintext and no half file")
    func killedAtEveryCall() throws {
        let device = try DeviceKey.inMemory()
        let start = MemoryStore()
        var volume = try ProtectedVolume.create(
            in: start, configuration: VolumeConfiguration(), passcode: nil, deviceKey: device)
        try volume.write(canary + [1], to: "vault", class: .complete)
        try volume.close()
        var stop = 0
        var isDone = false
        while !isDone {
            let left = Atomic(stop)
            var options = MemoryStore.Options()
            options.onCall = { call throws(HostError) in
                if left.subtract(1, ordering: .relaxed).newValue < 0 {
                    throw HostError(code: HostError.inputOutput, call: "killed")
                }
            }
            let store = MemoryStore(start.image(), options)
            let saving = refusal {
                let volume = try ProtectedVolume.open(store, deviceKey: device)
                try volume.write(canary + [2], to: "vault", class: .complete)
            }
            isDone = saving == nil && left.load(ordering: .relaxed) >= 0
            let found = MemoryStore(store.image())
            #expect(try !HostView(found).contains(canary), "call \(stop)")
            volume = try ProtectedVolume.open(found, deviceKey: device)
            let content = try volume.read("vault")
            #expect(content == canary + [1] || content == canary + [2], "call \(stop)")
            #expect(saving != nil || content == canary + [2], "call \(stop)")
            stop += 1
        }
        #expect(stop > 20)
    }
}
