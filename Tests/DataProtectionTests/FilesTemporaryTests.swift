import DataProtection
import Foundation
import TestSupport
import Testing

/// Temporary files, and where things are.
@Suite struct `A temporary file` {
    @Test(arguments: RigStore.allCases) func `has the class of its model`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        for protectionClass in ProtectionClass.allCases {
            let name = protectionClass.name + ".pdf"
            try rig.make(name, [1], protectionClass)
            let temporary = try rig.files.temporaryFile(like: rig.url(name))
            #expect(temporary.protection == protectionClass.fileProtectionType)
            #expect(temporary.url.pathExtension == "pdf")
            #expect(temporary.url.path.hasPrefix(rig.files.temporaryDirectory.path + "/"))
            try temporary.write(contentsOf: pattern(5000))
            try temporary.seek(toOffset: 0)
            #expect(try temporary.readToEnd() == Data(pattern(5000)))
            #expect(try Data(contentsOf: temporary.url, in: rig.files) == Data(pattern(5000)))
            let found = try rig.files.attributesOfItem(atPath: temporary.url.path)
            #expect(
                found[.protectionKey] as? FileProtectionType == protectionClass.fileProtectionType)
        }
        try rig.volume.makeFolder("d", class: .complete)
        #expect(try rig.files.temporaryFile(like: rig.url("d")).protection == .complete)
        try rig.volume.makeFolder("e")
        #expect(
            try rig.files.temporaryFile(like: rig.url("e")).protection
                == rig.volume.defaultClass.fileProtectionType)
        try rig.volume.makeSymbolicLink("link", target: "complete.pdf")
        #expect(try rig.files.temporaryFile(like: rig.url("link")).protection == .complete)
        #expect(cocoaCode { _ = try rig.files.temporaryFile(like: rig.url("missing")) } == 260)
        rig.volume.lock()
        let sealed = Outcome.ofFiles {
            _ = try rig.files.temporaryFile(like: rig.url("complete.pdf"))
        }
        #expect(sealed == .sealed)
        let other = try rig.files.temporaryFile(like: rig.url("completeUnlessOpen.pdf"))
        try other.write(contentsOf: [1])
    }

    @Test func `does without an extension that leaves no room for a name`() throws {
        let rig = try VolumeRig()
        for length in [200, 253] {
            let ending = String(repeating: "e", count: length)
            try rig.make("f." + ending, [1], .complete)
            let temporary = try rig.files.temporaryFile(like: rig.url("f." + ending))
            #expect(temporary.protection == .complete)
            #expect(temporary.url.pathExtension == (length == 200 ? ending : ""))
        }
    }

    /// What is in the host's folders for temporary files, with times of change.
    private static func hostPicture() throws -> Set<String> {
        var found: Set<String> = []
        for folder in Set([
            "/tmp", "/var/tmp", "/dev/shm", FileManager.default.temporaryDirectory.path,
        ]) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                found.insert(folder + "/" + name)
            }
        }
        return found
    }

    @Test func `never comes near the host's folder for temporary files`() throws {
        let rig = try VolumeRig(.folder)
        let canary = Data("canary-\(UUID().uuidString)".utf8)
        let before = try Self.hostPicture()
        try canary.write(
            to: rig.url("f"), options: [.atomic, .completeFileProtection], in: rig.files)
        let temporary = try rig.files.temporaryFile(like: rig.url("f"))
        try temporary.write(contentsOf: canary)
        try temporary.synchronize()
        try canary.write(to: rig.url("g"), in: rig.files)
        try rig.files.createFile(atPath: "h", contents: canary)
        try rig.volume.makeFolder("d")
        try canary.write(to: rig.url("d/f"), in: rig.files)
        try rig.files.copyItem(atPath: "d", toPath: "e")
        let place = try rig.files.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: rig.url("f"),
            create: true)
        try canary.write(to: place.appending(path: "new"), in: rig.files)
        try rig.files.replaceItemAt(rig.url("f"), withItemAt: place.appending(path: "new"))
        // Others may make files there meanwhile; none of them holds the canary.
        let new = try Self.hostPicture().subtracting(before)
        for path in [rig.path] + new {
            #expect(try Self.search(path, for: canary) == 0, "\(path)")
        }
        // The search itself finds what is there.
        let control = try ScratchFolder()
        try canary.write(to: URL(filePath: control.path(of: "x")))
        #expect(try Self.search(control.path, for: canary) == 1)
    }

    /// How many files below a host path hold some bytes.
    private static func search(_ path: String, for bytes: Data) throws -> Int {
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return ([path] + below.map { path + "/" + $0 }).count { path in
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                return false
            }
            return (try? Data(contentsOf: URL(filePath: path)))?.range(of: bytes) != nil
        }
    }

    @Test(arguments: RigStore.allCases, [false, true])
    func `that is left is swept when the volume is opened`(store: RigStore, unlocks: Bool) throws {
        let rig = try VolumeRig(store)
        for protectionClass in ProtectionClass.allCases {
            try rig.make(protectionClass.name, [1], protectionClass)
            _ = try rig.files.temporaryFile(like: rig.url(protectionClass.name))
        }
        let place = try rig.files.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: rig.url("none"),
            create: true)
        try rig.files.createDirectory(
            at: place.appending(path: "a/b"), withIntermediateDirectories: true)
        try rig.volume.setAttributes(
            AttributeChange(mode: 0), of: "tmp/TemporaryItems/\(place.lastPathComponent)/a")
        let own = rig.files.temporaryDirectory.appending(path: "own")
        try Data([7]).write(to: own, options: .completeFileProtection, in: rig.files)
        #expect(try rig.volume.list("tmp/TemporaryItems").count == 5)
        if !unlocks { rig.volume.lock() }
        // Those of this session stay, whatever it does.
        if unlocks { try rig.unlock() }
        #expect(try rig.volume.list("tmp/TemporaryItems").count == 5)
        try rig.reboot()
        #expect(rig.volume.lockState == .beforeFirstUnlock)
        #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        #expect(try rig.volume.list("tmp").map(\.name) == ["TemporaryItems", "own"])
        try rig.unlock()
        #expect(
            try Data(contentsOf: rig.files.temporaryDirectory.appending(path: "own"), in: rig.files)
                == Data([7]))
    }

    @Test func `with private names is swept at the first unlock`() throws {
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.make("f", [1], .complete)
        _ = try rig.files.temporaryFile(like: rig.url("f"))
        try rig.reboot()
        #expect(fileRefusal { _ = try rig.files.temporaryFile(like: rig.url("f")) } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        _ = try rig.files.temporaryFile(like: rig.url("f"))
        rig.volume.lock()
        try rig.unlock()
        #expect(try rig.volume.list("tmp/TemporaryItems").count == 1, "this session's stays")
    }

    /// With private names the sweep comes after the unlock, when others may work already.
    @Test func `that is made before the sweep of its own session stays`() throws {
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.make("f", [1])
        let made = try rig.files.temporaryFile(like: rig.url("f"))
        rig.volume.sweepTemporaryItems()
        #expect(try rig.files.fileExists(atPath: made.url.path))
    }

    @Test func `is swept too when no passcode, or the recovery key, opens the volume`() throws {
        let rig = try VolumeRig(passcode: nil, options: .init())
        try rig.make("f", [1])
        _ = try rig.files.temporaryFile(like: rig.url("f"))
        try rig.reboot()
        #expect(try rig.volume.list("tmp/TemporaryItems").isEmpty)
        _ = try rig.files.temporaryFile(like: rig.url("f"))
        let key = try rig.volume.makeRecoveryKey(passcode: nil)
        try rig.volume.close()
        let volume = try ProtectedVolume.open(rig.store, recoveryKey: key)
        #expect(try volume.list("tmp/TemporaryItems").isEmpty)
        try volume.close()
    }

    @Test func `that seems to be elsewhere is left alone`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("Documents")
        try rig.make("Documents/f", [1])
        try rig.volume.makeFolder("tmp")
        try rig.volume.makeSymbolicLink("tmp/TemporaryItems", target: "/Documents")
        try rig.reboot()
        #expect(try rig.volume.list("Documents").count == 1)
        try rig.volume.removeFile("tmp/TemporaryItems")
        try rig.volume.removeFolder("tmp")
        try rig.volume.makeFolder("real")
        try rig.volume.makeFolder("real/TemporaryItems")
        try rig.make("real/TemporaryItems/f", [1], ProtectionClass.none)
        try rig.volume.makeSymbolicLink("tmp", target: "real")
        try rig.reboot()
        #expect(try rig.volume.list("real/TemporaryItems").count == 1)
    }
}

/// Foundation's directories, inside the volume.
@Suite struct `A standard folder` {
    @Test(arguments: TruthRow.states) func `is in the volume, and there`(state: LockState) throws {
        let rig = try VolumeRig()
        try rig.enter(state)
        let files = rig.files
        let places: [(FileManager.SearchPathDirectory, String)] = [
            (.documentDirectory, "Documents"), (.libraryDirectory, "Library"),
            (.applicationSupportDirectory, "Library/Application Support"),
            (.cachesDirectory, "Library/Caches"),
        ]
        for (directory, path) in places {
            let urls = files.urls(for: directory, in: .userDomainMask)
            #expect(urls.map(\.path) == [files.rootURL.path + "/" + path])
            #expect(urls[0].hasDirectoryPath)
            #expect(try rig.volume.attributes(of: path).kind == .folder)
            // What a program does first with it works.
            try files.setAttributes(
                [.protectionKey: FileProtectionType.complete], ofItemAtPath: urls[0].path)
            #expect(files.urls(for: directory, in: .allDomainsMask) == urls)
            #expect(files.urls(for: directory, in: .systemDomainMask).isEmpty)
            for creates in [false, true] {
                let url = try files.url(
                    for: directory, in: .userDomainMask, appropriateFor: nil, create: creates)
                #expect(url == urls[0])
            }
        }
        #expect(files.temporaryDirectory.path == files.rootURL.path + "/tmp")
        let group = files.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example")
        #expect(group?.path == files.rootURL.path + "/Groups/group.org.example")
        #expect(try rig.volume.attributes(of: "Groups/group.org.example").kind == .folder)
        for name in ["", ".", "..", "a/b", String(repeating: "x", count: 256)] {
            #expect(files.containerURL(forSecurityApplicationGroupIdentifier: name) == nil)
        }
        #expect(files.urls(for: .desktopDirectory, in: .userDomainMask).isEmpty)
        for (directory, domain) in [
            (
                FileManager.SearchPathDirectory.desktopDirectory,
                FileManager.SearchPathDomainMask.userDomainMask
            ),
            (.documentDirectory, .systemDomainMask), (.itemReplacementDirectory, .userDomainMask),
        ] {
            #expect(
                cocoaCode {
                    _ = try files.url(for: directory, in: domain, appropriateFor: nil, create: true)
                } == 256)
        }
    }

    @Test func `for a replacement gives the item's class`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1], .complete)
        let place = try rig.files.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: rig.url("f"),
            create: true)
        let other = try rig.files.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: rig.url("f"),
            create: true)
        #expect(place != other)
        try Data([2]).write(to: place.appending(path: "f"), in: rig.files)
        #expect(
            try rig.files.attributesOfItem(atPath: place.appending(path: "f").path)[.protectionKey]
                as? FileProtectionType == .complete)
    }

    @Test func `that cannot be made is told when it is used`() throws {
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.reboot()
        let url = rig.files.urls(for: .documentDirectory, in: .userDomainMask)[0]
        #expect(
            fileRefusal { try Data([1]).write(to: url.appending(path: "f"), in: rig.files) }
                == .sealed)
        #expect(fileRefusal { _ = try rig.files.contentsOfDirectory(atPath: url.path) } == .sealed)
        try rig.unlock()
        _ = rig.files.urls(for: .documentDirectory, in: .userDomainMask)
        try Data([1]).write(to: url.appending(path: "f"), in: rig.files)
    }
}
