import DataProtection
import Synchronization
import TestSupport
import Testing

/// Public reports about databases, as far as they are about the files of one (docs/reports.md).
@Suite struct `Reports of files that stop at the lock` {
    private static let sideFiles = ["db", "db-wal", "db-journal", "db-shm"]

    @Test("GRDB.swift#1693: a change of class does not swap a file under an open handle")
    func openHandle() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("store", class: ProtectionClass.none)
        try rig.volume.write(pattern(9000), to: "store/db")
        let handle = try rig.volume.openFile("store/db", .readWrite)
        try rig.volume.setProtectionClass(.complete, of: "store")
        try rig.volume.setProtectionClass(.complete, of: "store/db")
        #expect(handle.protectionClass == .complete)
        try handle.write([1], at: 0)
        #expect(try handle.read(at: 0, count: 9001) == [1] + pattern(9000).dropFirst())
        rig.volume.lock()
        #expect(refusal { _ = try handle.read(at: 0, count: 1) } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("store/db") == [1] + pattern(9000).dropFirst())
    }

    @Test("home-assistant/iOS#5530: who starts in the background is told at once that it is locked")
    func backgroundStart() throws {
        let rig = try VolumeRig()
        try rig.reboot()
        let told = Mutex<[LockEvent]>([])
        let observation = rig.volume.observeLock { event in told.withLock { $0.append(event) } }
        #expect(told.withLock { $0 } == [.current(.beforeFirstUnlock)])
        #expect(!rig.volume.isProtectedDataAvailable)
        try rig.unlock()
        #expect(told.withLock { $0 } == [.current(.beforeFirstUnlock), .didBecomeAvailable])
        observation.cancel()
    }

    @Test("sqlcipher#156: a folder gives its class to a database and all that is beside it")
    func folderDefault() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("a", class: .complete)
        try rig.volume.makeFolder(
            "a/c", class: .completeUntilFirstUserAuthentication)
        for name in Self.sideFiles { try rig.volume.write([1], to: "a/c/" + name) }
        for name in Self.sideFiles {
            #expect(
                try rig.volume.protectionClass(of: "a/c/" + name)
                    == .completeUntilFirstUserAuthentication, "\(name)")
        }
        rig.volume.lock()
        for name in Self.sideFiles { #expect(try rig.volume.read("a/c/" + name) == [1]) }
    }

    @Test("couchbase-lite-ios#883: shared memory has a class of its own, which is written down")
    func sharedMemory() throws {
        for (rules, expected) in [
            (RuleSet.safer, ProtectionClass.completeUntilFirstUserAuthentication),
            (.apple, .complete),
        ] {
            let rig = try VolumeRig(rules: rules)
            try rig.volume.makeFolder("a", class: .complete)
            for name in Self.sideFiles { try rig.volume.write([1], to: "a/" + name) }
            #expect(try rig.volume.protectionClass(of: "a/db-shm") == expected)
            for name in Self.sideFiles.dropLast() {
                #expect(try rig.volume.protectionClass(of: "a/" + name) == .complete)
            }
        }
        #expect(ClassSource.sharedMemory.sentence.contains("-shm"))
    }

    @Test("couchbase-lite-ios#1491: a class asked of a file that is there is not silently ignored")
    func configuredClass() throws {
        let rig = try VolumeRig()
        let asked = ProtectionClass.complete
        try rig.volume.write([1], to: "db")
        let handle = try rig.volume.openFile("db", [.readWrite, .create], class: asked)
        // The handle says what holds, so that the caller can see the difference and change it.
        #expect(handle.protectionClass == .completeUntilFirstUserAuthentication)
        try handle.setProtectionClass(asked)
        #expect(handle.protectionClass == asked)
        #expect(try rig.volume.protectionClass(of: "db") == asked)
    }

    @Test("quran-ios#974: the unlock may come at once, late, twice or never")
    func notifications() async throws {
        for moment in ["at once", "late", "twice", "never"] {
            let rig = try VolumeRig()
            try rig.volume.write([7], to: "store")
            try rig.reboot()
            let volume = rig.volume
            if moment == "at once" { try rig.unlock() }
            let loaded = Task { () -> Int in
                var loadCount = 0
                for await event in volume.lockEvents {
                    guard event == .current(.unlocked) || event == .didBecomeAvailable else {
                        continue
                    }
                    if loadCount == 0, (try? volume.read("store")) == [7] { loadCount += 1 }
                }
                return loadCount
            }
            if moment == "late" || moment == "twice" {
                try await Task.sleep(for: .milliseconds(5))
                try rig.unlock()
            }
            if moment == "twice" {
                volume.lock()
                try rig.unlock()
            }
            // A consumer that has not begun to listen yet would miss what it waits for.
            if moment == "at once" { try await Task.sleep(for: .milliseconds(100)) }
            try volume.close()
            let loadCount = await loaded.value
            #expect(loadCount <= (moment == "never" ? 0 : 1), "\(moment)")
        }
    }

    @Test("polyPod#593: opening a volume before the first unlock opens no file of it")
    func lazily() throws {
        let opened = Mutex<[String]>([])
        let isWatched = Flag()
        var options = MemoryStore.Options()
        options.onCall = { call in
            guard isWatched.isUp, case .openFile = call.operation else {
                return
            }
            opened.withLock { $0.append(call.name) }
        }
        let rig = try VolumeRig(options: options)
        for number in 0..<5 { try rig.volume.write([1], to: "f\(number)", class: .complete) }
        isWatched.raise()
        try rig.reboot()
        _ = try rig.volume.list()
        _ = rig.volume.availability(of: .complete)
        #expect(opened.withLock { $0.filter { !$0.hasPrefix(".") } }.isEmpty)
    }

    @Test("realm-swift#1874: a file that is made later has the folder's class of then")
    func madeLater() throws {
        let rig = try VolumeRig(rules: .apple)
        try rig.volume.makeFolder("realm", class: .completeUntilFirstUserAuthentication)
        try rig.volume.write([1], to: "realm/default")
        try rig.volume.setProtectionClass(.complete, of: "realm")
        try rig.volume.write([1], to: "realm/default.note")
        #expect(
            try rig.volume.protectionClass(of: "realm/default")
                == .completeUntilFirstUserAuthentication)
        #expect(try rig.volume.protectionClass(of: "realm/default.note") == .complete)
    }

    @Test("realm-dotnet#1688: access ends when the grace does, and after it was announced")
    func grace() async throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "f", class: .complete)
        let volume = rig.volume
        // Whether the file could still be read when the end was announced.
        let readAtWill = Mutex<Bool?>(nil)
        let observation = volume.observeLock { event in
            guard event == .willBecomeUnavailable else { return }
            readAtWill.withLock { $0 = (try? volume.read("f")) == [7] }
        }
        volume.lock(grace: .seconds(10))
        await rig.clock.waitForSleepers(1)
        for _ in 0..<99 {
            rig.clock.advance(by: .milliseconds(100))
            #expect(try volume.read("f") == [7])
        }
        #expect(readAtWill.withLock { $0 } == nil)
        rig.clock.advance(by: .milliseconds(100))
        while volume.lockState == .grace { await Task.yield() }
        #expect(readAtWill.withLock { $0 } == true)
        #expect(refusal { _ = try volume.read("f") } == .sealed)
        observation.cancel()
    }

    @Test("cordova-sqlite-storage#264: the message of a refusal names the lock, class and file")
    func message() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "notes.db", class: .complete)
        rig.volume.lock()
        do {
            _ = try rig.volume.openFile("notes.db")
            Issue.record("it was opened while locked")
        } catch {
            let text = "\(error)"
            for word in ["locked", "complete", "notes.db", "unlock"] {
                #expect(text.contains(word), "\(text)")
            }
        }
    }
}
