import DataProtection
import Synchronization
import TestSupport
import Testing

/// Public reports of classes that got lost in a move, a copy or an atomic write (docs/reports.md).
@Suite struct `Reports of classes that were lost` {
    @Test("duckduckgo/apple-browsers#4906: a class that cannot be set is an error, not half a move")
    func failedSet() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("new")
        try rig.volume.write([7], to: "db", class: .complete)
        rig.volume.lock()
        try rig.volume.rename("db", to: "new/db")
        let set = refusal {
            try rig.volume.setProtectionClass(.completeUntilFirstUserAuthentication, of: "new/db")
        }
        #expect(set == .sealed)
        #expect(try rig.volume.protectionClass(of: "new/db") == .complete)
        try rig.unlock()
        try rig.volume.setProtectionClass(.completeUntilFirstUserAuthentication, of: "new/db")
        #expect(try rig.volume.read("new/db") == [7])
        #expect(try rig.volume.list().map(\.name) == ["new"])
    }

    @Test("swift-foundation#1223: an atomic write that asks for nothing gets its folder's class")
    func atomicWrite() throws {
        for rules in RuleSet.allCases {
            let rig = try VolumeRig(rules: rules)
            try rig.volume.makeFolder("a", class: .complete)
            try rig.volume.write([1], to: "a/new")
            #expect(try rig.volume.protectionClass(of: "a/new") == .complete)
            try rig.volume.write([1], to: "a/old", class: .completeUnlessOpen)
            try rig.volume.write([2], to: "a/old")
            #expect(try rig.volume.protectionClass(of: "a/old") == .complete)
            try rig.volume.replaceFile("a/old") { file throws(ProtectionError) in
                try file.append([3])
            }
            #expect(try rig.volume.protectionClass(of: "a/old") == .complete)
        }
    }

    @Test("swift-foundation#1822: two classes at once cannot be asked for")
    func twoClasses() throws {
        // The parameter is one value of an enumeration; as text, two names are no name.
        for text in ["none complete", "none,complete", "none|complete", "complete none", "DA"] {
            #expect(ProtectionClass(named: text) == nil)
        }
        let classes = ProtectionClass.allCases
        #expect(Set(classes.map(\.name)).count == 4 && Set(classes.map(\.rawValue)).count == 4)
    }

    @Test("OneKeyHQ/app-monorepo#13319: an atomic save while locked is refused in A and done in B")
    func saveWhileLocked() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("a", class: .complete)
        try rig.volume.makeFolder("b", class: .completeUnlessOpen)
        try rig.volume.write([1], to: "a/old")
        rig.volume.lock()
        let before = try HostView(rig.store)
        #expect(refusal { try rig.volume.write([2], to: "a/report") } == .sealed)
        #expect(refusal { try rig.volume.write([2], to: "a/old") } == .sealed)
        #expect(try HostView(rig.store) == before)
        try rig.volume.write([2], to: "b/report")
        try rig.unlock()
        #expect(try rig.volume.read("b/report") == [2])
        #expect(try rig.volume.list("a").map(\.name) == ["old"])
    }

    @Test("cmux#3568: an atomic write keeps the permissions and the class")
    func permissions() throws {
        let rig = try VolumeRig()
        try rig.volume.replaceFile("f", class: .completeUnlessOpen, mode: 0o600) {
            file throws(ProtectionError) in try file.append([1])
        }
        try rig.volume.write([2], to: "f")
        #expect(try rig.volume.attributes(of: "f").mode == 0o600)
        #expect(try rig.volume.protectionClass(of: "f") == .completeUnlessOpen)
    }

    @Test("wikipedia-ios#2790: old files can be given the right class, and the rest after a stop")
    func migration() throws {
        try Self.migrateInterrupted(fileCount: 1000)
    }

    /// Gives many files one class; the work is killed over and over, and goes on where it stopped.
    static func migrateInterrupted(fileCount: Int) throws {
        let device = try DeviceKey.inMemory()
        var image = try seeded(fileCount, device)
        var stopCount = 0
        while true {
            let left = Atomic(5 << stopCount)
            var options = MemoryStore.Options()
            options.onCall = { _ throws(HostError) in
                if left.subtract(1, ordering: .relaxed).newValue < 0 {
                    throw HostError(code: HostError.inputOutput, call: "killed")
                }
            }
            let store = MemoryStore(image, options)
            do {
                let volume = try ProtectedVolume.open(store, deviceKey: device)
                for entry in try volume.list() {
                    try volume.setProtectionClass(.complete, of: entry.name)
                }
                try volume.close()
            } catch {
                #expect(error.code == .host)
                image = store.image()
                stopCount += 1
                continue
            }
            image = store.image()
            break
        }
        #expect(stopCount > 3)
        let volume = try ProtectedVolume.open(MemoryStore(image), deviceKey: device)
        #expect(try volume.list().count == fileCount)
        for number in 0..<fileCount {
            #expect(try volume.protectionClass(of: "f\(number)") == .complete)
            #expect(try volume.read("f\(number)") == pattern(number % 50))
        }
    }

    /// A volume without a passcode, with files of all classes.
    private static func seeded(_ fileCount: Int, _ device: DeviceKey) throws -> MemoryImage {
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store, configuration: VolumeConfiguration(), passcode: nil, deviceKey: device)
        for number in 0..<fileCount {
            try volume.write(
                pattern(number % 50), to: "f\(number)",
                class: ProtectionClass.allCases[number % 4])
        }
        try volume.close()
        return store.image()
    }

    @Test("bitchat#1552: everything can be wiped in every lock state")
    func wipe() throws {
        for state in [LockState.unlocked, .locked, .beforeFirstUnlock] {
            let rig = try VolumeRig()
            try rig.volume.makeFolder("media", class: .complete)
            for number in 0..<5 { try rig.volume.write(canary, to: "media/\(number)") }
            try rig.enter(state)
            for entry in try rig.volume.list("media") {
                try rig.volume.removeFile("media/" + entry.name)
            }
            #expect(try rig.volume.list("media").isEmpty)
            try rig.volume.erase()
            #expect(
                refusal { _ = try ProtectedVolume.open(rig.store, deviceKey: rig.device) } != nil)
        }
    }

    @Test("GlucOS#53: what is needed before the first unlock can be in D, and the rest in C")
    func twoTiers() throws {
        let rig = try VolumeRig()
        try rig.volume.write(Array("next dose at 8".utf8), to: "index", class: ProtectionClass.none)
        try rig.volume.write(pattern(100), to: "history")
        try rig.reboot()
        #expect(try rig.volume.read("index") == Array("next dose at 8".utf8))
        try rig.volume.write(Array("next dose at 9".utf8), to: "index", class: ProtectionClass.none)
        #expect(refusal { _ = try rig.volume.read("history") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("history") == pattern(100))
    }
}
