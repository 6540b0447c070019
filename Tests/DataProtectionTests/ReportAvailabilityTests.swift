import DataProtection
import Synchronization
import TestSupport
import Testing

/// Public reports about the availability flag, notifications, and early starts (docs/reports.md).
@Suite struct `Reports of availability` {
    private struct Row: Sendable {
        let protectionClass: ProtectionClass
        let canOpen: Bool
        let canCreate: Bool
    }

    private static let locked = [
        Row(protectionClass: .complete, canOpen: false, canCreate: false),
        Row(protectionClass: .completeUnlessOpen, canOpen: false, canCreate: true),
        Row(
            protectionClass: .completeUntilFirstUserAuthentication, canOpen: true, canCreate: true),
        Row(protectionClass: .none, canOpen: true, canCreate: true),
    ]

    @Test("OneSignal-iOS-SDK#1668: each class says for itself whether it is available")
    func perClass() throws {
        let rig = try VolumeRig()
        for row in Self.locked {
            try rig.volume.write([1], to: row.protectionClass.name, class: row.protectionClass)
        }
        rig.volume.lock()
        for row in Self.locked {
            let name = row.protectionClass.name
            let said = rig.volume.availability(of: row.protectionClass)
            #expect(said.canOpen == row.canOpen && said.canCreate == row.canCreate)
            // What is said is what happens.
            #expect((refusal { _ = try rig.volume.read(name) } == nil) == row.canOpen)
            let created = refusal {
                try rig.volume.write([2], to: name + " new", class: row.protectionClass)
            }
            #expect((created == nil) == row.canCreate)
        }
    }

    @Test("element-ios#4419: who needs class C alone need not stop when the flag is false")
    func flagIsForClassA() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "messages")
        rig.volume.lock()
        #expect(!rig.volume.isProtectedDataAvailable)
        let mustStop = !rig.volume.availability(of: .completeUntilFirstUserAuthentication).canOpen
        #expect(!mustStop)
        #expect(try rig.volume.read("messages") == [7])
    }

    @Test("FastImageCache#66: before the first unlock every class but none says no")
    func negative() throws {
        let rig = try VolumeRig()
        try rig.reboot()
        #expect(!rig.volume.isProtectedDataAvailable)
        for protectionClass in ProtectionClass.allCases {
            #expect(
                rig.volume.availability(of: protectionClass).canOpen
                    == (protectionClass == ProtectionClass.none), "\(protectionClass)")
        }
    }

    @Test("FastImageCache#91: opening a small file tells the state without any observer")
    func probe() throws {
        let rig = try VolumeRig()
        try rig.volume.write([], to: "sentinel", class: .complete)
        let isUnlocked = { refusal { _ = try rig.volume.openFile("sentinel") } == nil }
        #expect(isUnlocked())
        rig.volume.lock()
        #expect(!isUnlocked())
        try rig.reboot()
        #expect(!isUnlocked())
        try rig.unlock()
        #expect(isUnlocked())
    }

    @Test("polyPod#705: what is marked as done while locked is durable, or the caller is told")
    func markedAsDone() throws {
        let rig = try VolumeRig()
        try rig.volume.write([], to: "shown", class: .complete)
        rig.volume.lock()
        #expect(refusal { try rig.volume.write([1], to: "shown", class: .complete) } == .sealed)
        try rig.volume.write([1], to: "shown-c")
        try rig.reopen()
        #expect(try rig.volume.read("shown").isEmpty)
        #expect(try rig.volume.read("shown-c") == [1])
    }

    @Test("aritchie/settings#9: settings that are refused are not half written")
    func halfWritten() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("settings", class: .complete)
        try rig.volume.write(pattern(5000), to: "settings/plist")
        rig.volume.lock()
        let before = try HostView(rig.store)
        for _ in 0..<10 {
            #expect(refusal { try rig.volume.write([1], to: "settings/plist") } == .sealed)
        }
        #expect(try HostView(rig.store) == before)
        try rig.unlock()
        #expect(try rig.volume.read("settings/plist") == pattern(5000))
    }

    @Test("react-native-healthkit#35: a query that comes while locked waits and gets its result")
    func waits() async throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "health", class: .complete)
        rig.volume.lock()
        let volume = rig.volume
        let isWaiting = Flag()
        let query = Task { () -> [UInt8] in
            for await _ in volume.lockEvents {
                if let found = try? volume.read("health") { return found }
                isWaiting.raise()
            }
            return []
        }
        while !isWaiting.isUp { await Task.yield() }
        try rig.unlock()
        #expect(await query.value == [7])
    }

    @Test("Strongbox#276: lock, will, purge, unlock and did come in this order")
    func order() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "f", class: .complete)
        let volume = rig.volume
        let told = Mutex<[String]>([])
        let observation = volume.observeLock { event in
            let state = (try? volume.read("f")) == nil ? "without the key" : "with the key"
            told.withLock { $0.append("\(event), \(state)") }
        }
        volume.lock()
        try rig.unlock()
        #expect(
            told.withLock { $0 }
                == [
                    "current(unlocked), with the key", "willBecomeUnavailable, with the key",
                    "didBecomeUnavailable, without the key", "didBecomeAvailable, with the key",
                ].map { $0.replacing("current(unlocked)", with: "\(LockEvent.current(.unlocked))") }
        )
        observation.cancel()
    }

    @Test("better-auth#10382: reading at start-up while locked is an error, never a trap")
    func startUp() async throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "token", class: .complete)
        try rig.reboot()
        let volume = rig.volume
        for _ in 0..<100 { #expect(refusal { _ = try volume.read("token") } == .sealed) }
        let found = Task { () -> [UInt8]? in
            for await event in volume.lockEvents where event == .didBecomeAvailable {
                return try? volume.read("token")
            }
            return nil
        }
        try await Task.sleep(for: .milliseconds(50))
        try rig.unlock()
        // Whoever began to listen too late hears the present state instead.
        try await Task.sleep(for: .milliseconds(50))
        try volume.close()
        let value = await found.value
        #expect(value == [7] || value == nil)
    }

    @Test("CocoaLumberjack#235: a folder that is no volume is said to be none, not of class none")
    func notEnforced() throws {
        let scratch = try ScratchFolder()
        let store = try FolderStore(path: scratch.path)
        let file = try store.root.createFile("log", mode: 0o600)
        let line: [UInt8] = [1]
        try file.write(line.span, at: 0)
        #expect(
            refusal { _ = try ProtectedVolume.open(at: scratch.path, deviceKey: .inMemory()) }
                == .notAVolume)
        #expect(try store.root.list().map(\.name) == ["log"])
    }

    @Test("eczema-helper#752: class B can be appended to through one handle, and not be reopened")
    func unlessOpen() throws {
        let rig = try VolumeRig()
        let file = try rig.volume.openFile(
            "capture", [.readWrite, .create], class: .completeUnlessOpen)
        rig.volume.lock()
        for _ in 0..<10 { try file.append([1]) }
        #expect(refusal { _ = try rig.volume.openFile("capture", .readWrite) } == .sealed)
        #expect(try file.read(at: 0, count: 20).count == 10)
        file.close()
        #expect(refusal { _ = try rig.volume.read("capture") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("capture").count == 10)
    }

    @Test("CocoaLumberjack#1257: the same program finds the same on every kind of host")
    func backEnds() throws {
        var found: [RigStore: [Outcome]] = [:]
        for store in RigStore.allCases {
            let rig = try VolumeRig(store)
            for protectionClass in ProtectionClass.allCases {
                try rig.volume.write([1], to: protectionClass.name, class: protectionClass)
            }
            for state in [LockState.unlocked, .locked, .beforeFirstUnlock] {
                try rig.enter(state)
                for protectionClass in ProtectionClass.allCases {
                    found[store, default: []].append(
                        Outcome { _ = try rig.volume.read(protectionClass.name) })
                }
            }
        }
        #expect(found[.memory] == found[.folder])
        #expect(found[.memory]?.count == 12)
    }
}
