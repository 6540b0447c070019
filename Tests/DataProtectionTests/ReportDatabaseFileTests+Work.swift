import DataProtection
import Glibc
import Synchronization
import TestSupport
import Testing

extension `Reports of files that stop at the lock` {
    @Test("mixpanel-swift#705: a refused call returns at once and never hangs")
    func atOnce() throws {
        let rig = try VolumeRig()
        try rig.volume.write([7], to: "f", class: .complete)
        let handle = try rig.volume.openFile("f", .readWrite)
        rig.volume.lock()
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 0..<1000 {
                #expect(refusal { try handle.write([1], at: 0) } == .sealed)
                #expect(refusal { _ = try handle.read(at: 0, count: 1) } == .sealed)
                #expect(refusal { _ = try rig.volume.openFile("f") } == .sealed)
                #expect(refusal { try handle.truncate(to: 0) } == .sealed)
            }
        }
        // A watchdog gives ten seconds; a call that waited for an unlock would never come back.
        #expect(time < .seconds(60))
        #expect(throws: Never.self) { try handle.synchronize() }
    }

    @Test("LoopKit#236: a folder's new class is for new files, and every file tells its own")
    func migrates() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("loop", class: .completeUntilFirstUserAuthentication)
        for number in 0..<5 { try rig.volume.write([1], to: "loop/f\(number)") }
        let classes = {
            try rig.volume.list("loop").map {
                try rig.volume.protectionClass(of: "loop/" + $0.name)
            }
        }
        let before = try classes()
        try rig.volume.setProtectionClass(.complete, of: "loop")
        #expect(try classes() == before)
        for entry in try rig.volume.list("loop") {
            try rig.volume.setProtectionClass(.complete, of: "loop/" + entry.name)
        }
        #expect(try classes().allSatisfy { $0 == .complete })
    }

    @Test("sqflite#924: class C works while locked, and says sealed before the first unlock")
    func background() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("db", class: .completeUntilFirstUserAuthentication)
        try rig.volume.write([7], to: "db/main")
        rig.volume.lock()
        #expect(try rig.volume.read("db/main") == [7])
        try rig.volume.write([8], to: "db/other")
        try rig.reboot()
        #expect(refusal { _ = try rig.volume.openFile("db/main") } == .sealed)
        #expect(refusal { try rig.volume.write([8], to: "db/new") } == .sealed)
        #expect(try rig.volume.list("db").map(\.name) == ["main", "other"])
    }

    @Test("Instabug-iOS#301: who writes through a lock loses nothing that was acknowledged")
    func continuousWriter() throws {
        let rig = try VolumeRig()
        let file = try rig.volume.openFile("log", [.readWrite, .create], class: .complete)
        let isOver = Flag()
        let acknowledged = Mutex(0)
        let crew = Crew()
        crew.start {
            var count = 0
            while !isOver.isUp {
                let line = Array(String(1_000_000 + count).utf8)
                if (try? file.append(line)) != nil { count += 1 }
            }
            acknowledged.withLock { $0 = count }
        }
        for _ in 0..<50 {
            rig.volume.lock()
            #expect(refusal { try file.append([1]) } == .sealed)
            try rig.unlock()
            usleep(2000)
        }
        isOver.raise()
        crew.wait()
        let count = acknowledged.withLock { $0 }
        let expected = (0..<count).flatMap { Array(String(1_000_000 + $0).utf8) }
        #expect(count > 0)
        #expect(try file.read(at: 0, count: expected.count + 1) == expected)
    }

    @Test("realm-swift#3283: a file that a store makes anew does not fall back to a weaker class")
    func recreated() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "realm", class: .complete)
        try rig.volume.removeFile("realm")
        try rig.volume.write([2], to: "realm")
        #expect(try rig.volume.protectionClass(of: "realm") == .complete)
        // The folder's class is what holds for names that were never there.
        try rig.volume.makeFolder("stable", class: .complete)
        for _ in 0..<3 {
            try rig.volume.write([2], to: "stable/lock")
            #expect(try rig.volume.protectionClass(of: "stable/lock") == .complete)
            try rig.volume.removeFile("stable/lock")
        }
    }
}
