import DataProtection
import Foundation
import TestSupport
import Testing

/// Folders: made, listed, gone through, removed.
@Suite struct `A folder of a volume` {
    @Test(arguments: RigStore.allCases) func `is made with its class and mode`(store: RigStore)
        throws
    {
        let rig = try VolumeRig(store)
        let files = rig.files
        rig.volume.lock()
        try files.createDirectory(
            at: rig.url("a/b/c"), withIntermediateDirectories: true,
            attributes: [.protectionKey: FileProtectionType.complete, .posixPermissions: 0o750])
        for path in ["a", "a/b", "a/b/c"] {
            let found = try files.attributesOfItem(atPath: path)
            #expect(found[.protectionKey] as? FileProtectionType == .complete)
            #expect(found[.posixPermissions] as? Int == 0o750)
            #expect(found[.type] as? FileAttributeType == .typeDirectory)
        }
        // A folder that is there stays as it is.
        try files.createDirectory(
            atPath: "a/b", withIntermediateDirectories: true,
            attributes: [.protectionKey: FileProtectionType.none])
        #expect(try rig.volume.protectionClass(of: "a/b") == .complete)
        try files.createDirectory(at: files.rootURL, withIntermediateDirectories: true)
        try rig.unlock()
        try rig.make("a/f", [1])
        func code(_ path: String, _ createIntermediates: Bool) -> Int? {
            cocoaCode {
                try files.createDirectory(
                    atPath: path, withIntermediateDirectories: createIntermediates)
            }
        }
        #expect(code("a", false) == 516)
        #expect(code("a/f", false) == 516)
        #expect(code("a/f", true) == 516)
        #expect(code("a/f/x", true) == 512)
        #expect(code("new/x", false) == 4)
        #expect(try !files.fileExists(atPath: "new"))
        #expect(code("../x", true) == 514)
    }

    @Test func `with attributes that cannot be is not made`() throws {
        let rig = try VolumeRig()
        let bad: [[FileAttributeKey: Any]] = [
            [.protectionKey: "nothing"], [.protectionKey: 1],
            [
                .protectionKey: FileProtectionType(
                    rawValue: "NSFileProtectionCompleteWhenUserInactive")
            ],
            [.posixPermissions: 0o17777], [.posixPermissions: -1], [.posixPermissions: "7"],
            [.modificationDate: 1], [.ownerAccountID: -1], [.groupOwnerAccountID: UInt64.max],
        ]
        for attributes in bad {
            #expect(
                fileRefusal {
                    try rig.files.createDirectory(
                        atPath: "d", withIntermediateDirectories: true, attributes: attributes)
                } == .invalidArgument, "\(attributes)")
            #expect(
                fileRefusal {
                    try rig.files.createFile(atPath: "f", contents: nil, attributes: attributes)
                } == .invalidArgument, "\(attributes)")
        }
        let unknown: [FileAttributeKey] = [
            .creationDate, .immutable, .appendOnly, .ownerAccountName, .groupOwnerAccountName,
            .extensionHidden, .busy, .hfsTypeCode, FileAttributeKey(rawValue: "x"),
        ]
        for key in unknown {
            #expect(
                cocoaCode {
                    try rig.files.createFile(atPath: "f", contents: nil, attributes: [key: true])
                } == 3328)
        }
        #expect(try rig.volume.list().isEmpty)
    }

    private static func makeTree(_ rig: VolumeRig) throws {
        for folder in ["b", "b/.git", "b/empty", "b/in"] { try rig.volume.makeFolder(folder) }
        for file in ["a", ".hidden", "b/f", "b/.git/x", "b/in/y", "c"] { try rig.make(file, [1]) }
        try rig.volume.makeSymbolicLink("b/up", target: "/b")
    }

    @Test(arguments: TruthRow.states) func `is listed in every state`(state: LockState) throws {
        let rig = try VolumeRig(.memory, defaultClass: .complete)
        try Self.makeTree(rig)
        try rig.enter(state)
        let files = rig.files
        #expect(try files.contentsOfDirectory(atPath: ".") == [".hidden", "a", "b", "c"])
        #expect(
            try files.subpathsOfDirectory(atPath: "b")
                == [".git", ".git/x", "empty", "f", "in", "in/y", "up"])
        let listed = try files.contentsOfDirectory(
            at: rig.url("b"), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        #expect(listed.map(\.lastPathComponent) == ["empty", "f", "in", "up"])
        #expect(listed.map(\.hasDirectoryPath) == [true, false, true, false])
        #expect(cocoaCode { _ = try files.contentsOfDirectory(atPath: "a") } == 256)
        #expect(cocoaCode { _ = try files.contentsOfDirectory(atPath: "missing") } == 260)
        #expect(cocoaCode { _ = try files.subpathsOfDirectory(atPath: "a") } == 256)
    }

    @Test func `is gone through to its end while what is shown is removed`() throws {
        let rig = try VolumeRig()
        try Self.makeTree(rig)
        let everything = try rig.files.enumerator(at: rig.files.rootURL)
        for url in everything { try rig.files.removeItem(at: url) }
        #expect(everything.error == nil)
        #expect(try rig.volume.list().isEmpty)
    }

    @Test func `is gone through, depth first`() throws {
        let rig = try VolumeRig()
        try Self.makeTree(rig)
        func paths(
            _ options: FileManager.DirectoryEnumerationOptions, skipping: String? = nil
        ) throws -> [String] {
            let everything = try rig.files.enumerator(
                at: rig.files.rootURL, includingPropertiesForKeys: nil, options: options)
            var found: [String] = []
            for url in everything {
                let path = url.path.dropFirst(rig.files.rootURL.path.count + 1)
                #expect(everything.level == path.split(separator: "/").count)
                found.append(path + (url.hasDirectoryPath ? "/" : ""))
                if url.lastPathComponent == skipping { everything.skipDescendants() }
            }
            #expect(everything.error == nil)
            return found
        }
        #expect(
            try paths([]) == [
                ".hidden", "a", "b/", "b/.git/", "b/.git/x", "b/empty/", "b/f", "b/in/", "b/in/y",
                "b/up", "c",
            ])
        #expect(
            try paths(.skipsHiddenFiles) == [
                "a", "b/", "b/empty/", "b/f", "b/in/", "b/in/y", "b/up", "c",
            ])
        #expect(try paths(.skipsSubdirectoryDescendants) == [".hidden", "a", "b/", "c"])
        #expect(try paths([], skipping: "b") == [".hidden", "a", "b/", "c"])
        #expect(
            try paths([.skipsHiddenFiles, .skipsPackageDescendants], skipping: "in") == [
                "a", "b/", "b/empty/", "b/f", "b/in/", "b/up", "c",
            ])
        #expect(cocoaCode { _ = try paths(.includesDirectoriesPostOrder) } == 3328)
        #expect(cocoaCode { _ = try rig.files.enumerator(at: rig.url("missing")) } == 260)
        #expect(cocoaCode { _ = try rig.files.enumerator(at: rig.url("a")) } == 256)
    }

    @Test func `that cannot be listed is told, and gone past if wanted`() throws {
        let rig = try VolumeRig()
        try Self.makeTree(rig)
        for goesOn in [true, false] {
            var told: [String] = []
            let everything = try rig.files.enumerator(
                at: rig.files.rootURL, options: .skipsHiddenFiles
            ) { url, error in
                told.append(url.lastPathComponent)
                #expect(error.protectionError?.code == .missing)
                return goesOn
            }
            var seen: [String] = []
            while let url = everything.nextObject() {
                seen.append(url.lastPathComponent)
                guard url.lastPathComponent == "in" else { continue }
                // Somebody moves it away before it is listed.
                try rig.volume.rename("b/in", to: "elsewhere")
            }
            #expect(told == ["in"])
            #expect(seen == ["a", "b", "empty", "f", "in"] + (goesOn ? ["up", "c"] : []))
            #expect((everything.error?.protectionError?.code == .missing) == !goesOn)
            #expect(everything.next() == nil)
            try rig.volume.rename("elsewhere", to: "b/in")
        }
    }

    @Test(arguments: TruthRow.states) func `is removed in every state`(state: LockState) throws {
        let rig = try VolumeRig(.folder, defaultClass: .complete)
        try Self.makeTree(rig)
        try rig.enter(state)
        try rig.files.removeItem(at: rig.url("b"))
        try rig.files.removeItem(atPath: "a")
        #expect(try rig.volume.list().map(\.name) == [".hidden", "c"])
        #expect(cocoaCode { try rig.files.removeItem(atPath: "a") } == 4)
        #expect(cocoaCode { try rig.files.removeItem(atPath: "c/x") } == 512)
        try rig.volume.makeSymbolicLink("link", target: "c")
        try rig.files.removeItem(atPath: "link")
        #expect(try rig.files.fileExists(atPath: "c"), "a link is not followed")
    }

    @Test func `that is deep is gone through, copied and removed`() throws {
        let rig = try VolumeRig()
        let path = Array(repeating: "d", count: 120).joined(separator: "/")
        try rig.files.createDirectory(atPath: path, withIntermediateDirectories: true)
        try rig.make(path + "/f", [1])
        #expect(try rig.files.subpathsOfDirectory(atPath: "d").count == 120)
        try rig.files.copyItem(atPath: "d", toPath: "e")
        #expect(try rig.files.contentsEqual(atPath: "d", andPath: "e"))
        try rig.files.removeItem(atPath: "d")
        #expect(try rig.volume.read("e" + path.dropFirst() + "/f") == [1])
    }

    @Test func `with a damaged name in it can be listed and removed`() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.makeFolder("d")
        try rig.make("d/f", [1])
        try rig.volume.close()
        let host = FileManager.default
        let found = try host.subpathsOfDirectory(atPath: rig.path).filter { name in
            name.contains("/") && !name.split(separator: "/").last!.hasPrefix(".")
        }
        let old = rig.path + "/" + (try #require(found.first))
        var name = (old as NSString).lastPathComponent
        name = (name.hasPrefix("A") ? "B" : "A") + name.dropFirst()
        let new = ((old as NSString).deletingLastPathComponent as NSString)
            .appendingPathComponent(name)
        try host.moveItem(atPath: old, toPath: new)
        try rig.reopen()
        let names = try rig.files.contentsOfDirectory(atPath: "d")
        #expect(names == ["damaged:" + name])
        try rig.files.removeItem(at: rig.url("d"))
        #expect(try rig.volume.list().isEmpty)
    }
}
