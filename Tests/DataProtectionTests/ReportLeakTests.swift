import DataProtection
import Glibc
import Synchronization
import TestSupport
import Testing

/// Public reports about logs, crash reports, downloads and plaintext elsewhere (docs/reports.md).
@Suite struct `Reports of logs and leaks` {
    @Test("CocoaLumberjack#256: a file that is derived from another can have its class")
    func compression() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("logs", class: .completeUntilFirstUserAuthentication)
        try rig.volume.write(canary, to: "logs/today", class: .complete)
        let compress = { () throws(ProtectionError) in
            let source = try rig.volume.openFile("logs/today")
            let content = try source.read(at: 0, count: 100)
            try rig.volume.write(content, to: "logs/today.gz", class: source.protectionClass)
        }
        rig.volume.lock()
        let before = try HostView(rig.store)
        #expect(refusal { try compress() } == .sealed)
        #expect(try HostView(rig.store) == before)
        try rig.unlock()
        try compress()
        #expect(try rig.volume.protectionClass(of: "logs/today.gz") == .complete)
    }

    @Test("CocoaLumberjack#688: a line that cannot be logged is refused aloud")
    func logging() throws {
        let rig = try VolumeRig()
        let strict = try rig.volume.openFile("a", [.write, .create], class: .complete)
        let capture = try rig.volume.openFile("b", [.write, .create], class: .completeUnlessOpen)
        rig.volume.lock()
        var lostCount = 0
        for _ in 0..<10 where refusal({ try strict.append([1]) }) == .sealed { lostCount += 1 }
        try capture.append(Array("\(lostCount) lines refused".utf8))
        try rig.unlock()
        #expect(try rig.volume.read("b") == Array("10 lines refused".utf8))
        #expect(strict.size == 0)
    }

    @Test("KSCrash#923: a crash before the first unlock leaves a report, all files of it")
    func crashReport() throws {
        let rig = try VolumeRig(defaultClass: .complete)
        try rig.reboot()
        // The folder's class is for all that is made in it, and can be chosen at any time.
        try rig.volume.makeFolder("crash", class: .completeUnlessOpen)
        for name in ["report", "state", "threads"] {
            try rig.volume.write(Array(name.utf8), to: "crash/" + name)
        }
        try rig.reopen()
        for name in ["report", "state", "threads"] {
            #expect(try rig.volume.read("crash/" + name) == Array(name.utf8))
            #expect(try rig.volume.protectionClass(of: "crash/" + name) == .completeUnlessOpen)
        }
    }

    @Test("embrace-apple-sdk#301: a folder of class C within one of class A is what it says")
    func nestedFolder() throws {
        let rig = try VolumeRig(defaultClass: .complete)
        try rig.volume.makeFolder("app")
        try rig.volume.makeFolder("app/sdk", class: .completeUntilFirstUserAuthentication)
        try rig.volume.write([1], to: "app/own")
        try rig.volume.write([1], to: "app/sdk/own")
        #expect(try rig.volume.protectionClass(of: "app/own") == .complete)
        #expect(
            try rig.volume.protectionClass(of: "app/sdk") == .completeUntilFirstUserAuthentication)
        rig.volume.lock()
        #expect(try rig.volume.read("app/sdk/own") == [1])
        #expect(refusal { _ = try rig.volume.read("app/own") } == .sealed)
    }

    @Test("Tiercel#170: a download that ends while locked is staged in B and raised to A later")
    func download() throws {
        let rig = try VolumeRig(rules: .apple)
        try rig.volume.makeFolder("files", class: .complete)
        rig.volume.lock()
        let file = try rig.volume.openFile(
            "part", [.write, .create, .exclusive], class: .completeUnlessOpen)
        for _ in 0..<500 { try file.append(canary) }
        file.close()
        try rig.volume.rename("part", to: "files/done")
        let sealed = refusal { try rig.volume.setProtectionClass(.complete, of: "files/done") }
        #expect(sealed == .sealed)
        try rig.unlock()
        try rig.volume.setProtectionClass(.complete, of: "files/done")
        #expect(try rig.volume.read("files/done").count == 500 * canary.count)
        #expect(try !HostView(rig.store).contains(canary))
    }

    @Test("MMKV#162: a tree gets another class file by file, and tells which did")
    func tree() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("mmkv")
        try rig.volume.makeFolder("mmkv/sub")
        for path in ["mmkv/a", "mmkv/b", "mmkv/sub/c"] { try rig.volume.write([1], to: path) }
        var changed: [String] = []
        var folders = ["mmkv"]
        while let folder = folders.popLast() {
            try rig.volume.setProtectionClass(.complete, of: folder)
            for entry in try rig.volume.list(folder) {
                let path = "\(folder)/\(entry.name)"
                if entry.kind == .folder { folders.append(path) } else { changed.append(path) }
                try rig.volume.setProtectionClass(.complete, of: path)
            }
        }
        #expect(changed == ["mmkv/a", "mmkv/b", "mmkv/sub/c"])
        try rig.volume.write([1], to: "mmkv/sub/new")
        for path in changed + ["mmkv/sub/new"] {
            #expect(try rig.volume.protectionClass(of: path) == .complete)
        }
    }

    @Test("fsnotes#1714: two thousand edits leave no plaintext on the host")
    func edits() throws {
        let rig = try VolumeRig()
        for number in 0..<2000 {
            try rig.volume.write(
                canary + Array(" edit \(number)".utf8), to: "note", class: .complete)
        }
        rig.volume.lock()
        let view = try HostView(rig.store)
        #expect(!view.contains(canary) && !view.contains(Array("note".utf8)))
        // Two keybags, the marker, the folder's record, and the note.
        #expect(view.count == 5)
    }

    @Test("nextcloud/android#3426: what is made is for its owner alone, whatever the umask is")
    func mode() throws {
        let former = umask(0)
        defer { umask(former) }
        let rig = try VolumeRig(.folder)
        try rig.volume.write([1], to: "thumbnail")
        try rig.volume.makeFolder("cache")
        for entry in try rig.store.root.list() where entry.kind != .symlink {
            let mode = try rig.store.root.attributes(of: entry.name).mode
            #expect(mode & 0o077 == 0, "\(entry.name) has mode \(String(mode, radix: 8))")
        }
    }

    @Test("walletkit#280: a file that is made without a class says which one it got")
    func temporary() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("tmp")
        let file = try rig.volume.openFile("tmp/export", [.write, .create])
        #expect(file.protectionClass == rig.volume.defaultClass)
        #expect(try rig.volume.protectionClass(of: "tmp/export") == rig.volume.defaultClass)
        #expect(try rig.volume.protectionClass(of: "tmp") == nil)
    }

    @Test(
        "cwa-app-ios#125: a locked file is ciphertext on the host, and what that is worth is said")
    func ciphertext() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.write(canary, to: "secret", class: .complete)
        rig.volume.lock()
        #expect(try !HostView(rig.store).contains(canary))
        let text = try String(contentsOf: Repository.file("SECURITY.md"), encoding: .utf8)
        #expect(text.contains("root"))
    }
}
