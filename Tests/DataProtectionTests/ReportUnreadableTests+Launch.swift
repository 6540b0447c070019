import DataProtection
import Synchronization
import TestSupport
import Testing

extension `Reports of data that was lost while locked` {
    @Test("safe-ios-legacy#878: at the moment of the lock a key is sealed, never missing")
    func momentOfLock() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "key", class: .complete)
        let volume = rig.volume
        let isOver = Flag()
        let outcomes = Mutex<Set<Outcome>>([])
        let crew = Crew()
        for _ in 0..<3 {
            crew.start {
                var found: Set<Outcome> = []
                while !isOver.isUp {
                    found.insert(
                        Outcome {
                            let content = try volume.read("key")
                            #expect(content == [7])
                        })
                }
                outcomes.withLock { $0.formUnion(found) }
            }
        }
        for _ in 0..<200 {
            volume.lock()
            try rig.unlock()
        }
        isOver.raise()
        crew.wait()
        #expect(outcomes.withLock { $0 }.isSubset(of: [.done, .sealed]))
    }

    @Test("artemis-ios#204: nothing that was concluded while locked outlives the unlock")
    func latch() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "login", class: .complete)
        try rig.reboot()
        let isLoggedIn = { (try? rig.volume.read("login")) != nil }
        for _ in 0..<3 {
            #expect(!isLoggedIn())
            try rig.unlock()
            #expect(isLoggedIn())
            rig.volume.lock()
        }
    }

    @Test("firebase-ios-sdk#9622: three launches give unknown, what the class allows, and known")
    func launches() throws {
        for protectionClass in ProtectionClass.allCases {
            let rig = try VolumeRig()
            try rig.volume.write([7], to: "user", class: protectionClass)
            let expected: [LockState: Bool] = [
                .beforeFirstUnlock: protectionClass == ProtectionClass.none,
                .locked: [.completeUntilFirstUserAuthentication, ProtectionClass.none].contains(
                    protectionClass),
                .unlocked: true,
            ]
            for (state, isKnown) in expected {
                if state != .beforeFirstUnlock { try rig.reopen() }
                try rig.enter(state)
                let found = refusal { _ = try rig.volume.read("user") }
                #expect(found == (isKnown ? nil : .sealed), "\(protectionClass), \(state)")
            }
        }
    }

    @Test("posthog-ios#213: events that come before the first unlock join those that were there")
    func events() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("events", class: .completeUnlessOpen)
        for number in 0..<5 { try rig.volume.write([UInt8(number)], to: "events/old\(number)") }
        try rig.reboot()
        for number in 0..<3 { try rig.volume.write([UInt8(number)], to: "events/new\(number)") }
        #expect(refusal { _ = try rig.volume.read("events/old0") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.list("events").count == 8)
        for entry in try rig.volume.list("events") {
            #expect(try rig.volume.read("events/" + entry.name).count == 1)
        }
    }

    @Test("MMKV#1405: a store that cannot be opened yet is an error, then whole")
    func keyValueStore() throws {
        let rig = try VolumeRig()
        try rig.volume.write(pattern(50_000), to: "map")
        try rig.reboot()
        #expect(refusal { _ = try rig.volume.openFile("map", .readWrite) } == .sealed)
        #expect(refusal { _ = try rig.volume.openFile("map", [.readWrite, .create]) } == .sealed)
        #expect(refusal { _ = try rig.volume.openFile("map", [.write, .truncate]) } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("map") == pattern(50_000))
    }

    @Test("flutter_secure_storage#700: who deletes and begins anew on any error fails loudly")
    func wrongHandler() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "session", class: .complete)
        rig.volume.lock()
        // The handler that lost sessions: a new key on every error. Here it is refused as well.
        let wrong = { () throws in
            do { _ = try rig.volume.read("session") } catch {
                try rig.volume.write([0], to: "session", class: .complete)
            }
        }
        #expect(refusal { try wrong() } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("session") == [7])
    }

    @Test("matrix-ios-sdk#1455: a refusal is EPERM for C programs, and the file stays")
    func errorNumber() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "crypto", class: .complete)
        rig.volume.lock()
        do {
            _ = try rig.volume.read("crypto")
            Issue.record("it was read while locked")
        } catch {
            #expect(error.errorNumber == 1 && error.code == .sealed)
        }
        #expect(try rig.volume.attributes(of: "crypto").damage == nil)
        try rig.unlock()
        #expect(try rig.volume.read("crypto") == [7])
    }

    @Test("firefox-ios#4063: a volume without its device key is named so, not called broken")
    func otherDevice() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "db")
        try rig.volume.close()
        let another = try DeviceKey.inMemory()
        #expect(
            refusal { _ = try ProtectedVolume.open(rig.store, deviceKey: another) } == .deviceKey)
        try rig.reboot()
        try rig.unlock()
        #expect(try rig.volume.read("db") == [7])
    }

    @Test("p2/OAuth2#116: a class is an attribute, not a part of what something is called")
    func attribute() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "token", class: .complete)
        for protectionClass in ProtectionClass.allCases {
            try rig.volume.setProtectionClass(protectionClass, of: "token")
            #expect(try rig.volume.read("token") == [7])
            #expect(try rig.volume.list().map(\.name) == ["token"])
        }
    }

    @Test("application-services#3084: a change of class that is killed can be done again")
    func migration() throws {
        try `Reports of classes that were lost`.migrateInterrupted(fileCount: 12)
    }
}
