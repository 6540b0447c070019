import DataProtection
import Foundation
import TestSupport
import Testing

/// What is told and set of items.
@Suite(.bothDoors) struct `File attributes` {
    @Test(arguments: RigStore.allCases) func `are those of the item`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.make("f", pattern(5000), .complete)
        try rig.volume.link("f", to: "g")
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        try rig.files.setAttributes(
            [.posixPermissions: 0o640, .modificationDate: date], ofItemAtPath: "f")
        rig.volume.lock()
        let found = try rig.files.attributesOfItem(atPath: "g")
        #expect(found[.type] as? FileAttributeType == .typeRegular)
        #expect(found[.modificationDate] as? Date == date)
        #expect(found[.protectionKey] as? FileProtectionType == .complete)
        #expect(found[.creationDate] == nil)
        let identity = try rig.volume.attributes(of: "f").identity
        let numbers: [FileAttributeKey: UInt64] = [
            .size: 5000, .posixPermissions: 0o640, .referenceCount: 2,
            .ownerAccountID: UInt64(geteuid()), .groupOwnerAccountID: UInt64(getegid()),
            .systemFileNumber: identity,
        ]
        for (key, number) in numbers {
            // As with Foundation's own, every cast that a program may have works.
            #expect(found[key] as? NSNumber == NSNumber(value: number), "\(key)")
            #expect(found[key] as? Int == Int(number), "\(key)")
            #expect(found[key] as? UInt64 == number, "\(key)")
            #expect(found[key] as? Int64 == Int64(number), "\(key)")
        }
        #expect(found[.size] as? UInt == 5000)
        #expect(found.count == 9)
    }

    @Test func `of other things tell what they are`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("none")
        try rig.volume.makeFolder("class", class: .completeUnlessOpen)
        try rig.volume.makeSymbolicLink("link", target: "class")
        try rig.volume.makeNode("fifo", .fifo, mode: 0o600)
        try rig.volume.makeNode("socket", .socket, mode: 0o600)
        func found(_ path: String) throws -> [FileAttributeKey: Any] {
            try rig.files.attributesOfItem(atPath: path)
        }
        #expect(try found("none")[.protectionKey] == nil)
        #expect(
            try found("class")[.protectionKey] as? FileProtectionType == .completeUnlessOpen)
        #expect(try found("class")[.type] as? FileAttributeType == .typeDirectory)
        #expect(try found("link")[.type] as? FileAttributeType == .typeSymbolicLink)
        #expect(try found("link")[.protectionKey] == nil)
        #expect(try found("fifo")[.type] as? FileAttributeType == .typeUnknown)
        #expect(try found("socket")[.type] as? FileAttributeType == .typeSocket)
        #expect(try found(".")[.type] as? FileAttributeType == .typeDirectory)
        #expect(cocoaCode { _ = try found("missing") } == 260)
        let system = try rig.files.attributesOfFileSystem(forPath: "class")
        let space = try rig.volume.space()
        #expect(
            system[.systemSize] as? Int64 == space.blockCount * space.blockByteCount)
        #expect(
            system[.systemFreeSize] as? Int64
                == space.availableBlockCount * space.blockByteCount)
        #expect(system[.systemNodes] as? Int64 == space.inodeCount)
        #expect(system[.systemFreeNodes] as? Int64 == space.freeInodeCount)
        #expect(cocoaCode { _ = try rig.files.attributesOfFileSystem(forPath: "x") } == 260)
    }

    @Test func `are set, or the call says why not`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1], .completeUntilFirstUserAuthentication)
        try rig.volume.makeSymbolicLink("link", target: "f")
        func set(_ attributes: [FileAttributeKey: Any], _ path: String = "f") -> Int? {
            cocoaCode { try rig.files.setAttributes(attributes, ofItemAtPath: path) }
        }
        // Through a link, as a string, with what only informs: all that a program may have.
        #expect(set([.protectionKey: "NSFileProtectionNone", .size: 7], "link") == nil)
        #expect(try rig.volume.protectionClass(of: "f") == ProtectionClass.none)
        #expect(set([.posixPermissions: NSNumber(value: 0o604)]) == nil)
        #expect(set([.posixPermissions: UInt16(0o604), .ownerAccountID: UInt32(geteuid())]) == nil)
        #expect(try rig.volume.attributes(of: "f").mode == 0o604)
        #expect(set(try rig.files.attributesOfItem(atPath: "f")) == nil)
        #expect(set([:], "f") == nil)
        #expect(set([.protectionKey: FileProtectionType.complete], "missing") == 4)
        #expect(set([.modificationDate: "today"]) == 512)
        #expect(set([.immutable: true]) == 3328)
        #expect(set([.protectionKey: FileProtectionType.complete, .creationDate: Date()]) == 3328)
        #expect(try rig.volume.protectionClass(of: "f") == ProtectionClass.none, "nothing was set")
        rig.volume.lock()
        #expect(
            set([.protectionKey: FileProtectionType.complete, .posixPermissions: 0o600]) == 513)
        #expect(try rig.volume.attributes(of: "f").mode == 0o604, "nothing was set")
        #expect(set([.protectionKey: FileProtectionType.none]) == nil)
        #expect(set([.posixPermissions: 0o600]) == nil)
    }

    @Test(arguments: [
        -1e300, -9.3e18, -2_000_000_000.25, -0.25, 0, 1_700_000_000.75, 4e9, 9.3e18, 1e300,
        -.infinity, .infinity, .nan,
    ])
    func `take every date that a count of seconds holds, and refuse the others`(seconds: Double)
        throws
    {
        let rig = try VolumeRig()
        try rig.make("f", [1])
        let date = Date(timeIntervalSince1970: seconds)
        let refusal = fileRefusal {
            try rig.files.setAttributes([.modificationDate: date], ofItemAtPath: "f")
        }
        guard abs(seconds) < 9e18 else {
            #expect(refusal == .invalidArgument)
            return
        }
        #expect(refusal == nil)
        #expect(try rig.files.attributesOfItem(atPath: "f")[.modificationDate] as? Date == date)
    }

    @Test(arguments: TruthRow.states)
    func `give a folder its class in every state`(state: LockState) throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d", class: .complete)
        try rig.make("d/old", [1])
        try rig.enter(state)
        for protectionClass in ProtectionClass.allCases + [.complete, .none] {
            try rig.files.setAttributes(
                [.protectionKey: protectionClass.fileProtectionType], ofItemAtPath: "d")
            let found = try rig.files.attributesOfItem(atPath: "d")
            #expect(
                found[.protectionKey] as? FileProtectionType == protectionClass.fileProtectionType)
        }
        try Data([2]).write(to: rig.url("d/new"), in: rig.files)
        #expect(try rig.volume.protectionClass(of: "d/new") == ProtectionClass.none)
        #expect(try rig.volume.protectionClass(of: "d/old") == .complete)
    }

    @Test func `tell nothing of a damaged file, and do not deny it either`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1], .complete)
        let name = try #require(rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        try rig.store.root.openFile(name, writable: true)
            .write([UInt8](repeating: 7, count: 100).span, at: 50)
        #expect(fileRefusal { _ = try rig.files.attributesOfItem(atPath: "f") } == .damaged)
        #expect(cocoaCode { _ = try rig.files.attributesOfItem(atPath: "f") } == 259)
        #expect(cocoaCode { _ = try rig.files.contents(atPath: "f") } == 259)
        #expect(cocoaCode { _ = try rig.files.temporaryFile(like: rig.url("f")) } == 259)
        #expect(try rig.files.fileExists(atPath: "f"))
        #expect(try rig.files.contentsOfDirectory(atPath: ".") == ["f"])
        try rig.files.removeItem(atPath: "f")
        #expect(try !rig.files.fileExists(atPath: "f"))
    }
}

/// Whether there is something.
@Suite struct `A question whether a file exists` {
    @Test(arguments: TruthRow.states) func `is answered in every state`(state: LockState) throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d")
        for protectionClass in ProtectionClass.allCases {
            try rig.make("d/" + protectionClass.name, [1], protectionClass)
        }
        try rig.volume.makeSymbolicLink("link", target: "d/complete")
        try rig.volume.makeSymbolicLink("dangling", target: "nowhere")
        try rig.enter(state)
        var isFolder = true
        for protectionClass in ProtectionClass.allCases {
            let path = "d/" + protectionClass.name
            #expect(try rig.files.fileExists(atPath: path, isDirectory: &isFolder))
            #expect(!isFolder)
        }
        #expect(try rig.files.fileExists(atPath: "d", isDirectory: &isFolder))
        #expect(isFolder)
        #expect(try rig.files.fileExists(atPath: "link"))
        for path in ["missing", "d/missing", "dangling", "d/complete/x"] {
            isFolder = true
            #expect(try !rig.files.fileExists(atPath: path))
            #expect(try !rig.files.fileExists(atPath: path, isDirectory: &isFolder))
            #expect(!isFolder)
        }
    }

    @Test func `is not answered where nobody can tell`() throws {
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.make("f", [1], ProtectionClass.none)
        try rig.reboot()
        for path in ["f", "missing"] {
            #expect(fileRefusal { _ = try rig.files.fileExists(atPath: path) } == .sealed)
        }
        #expect(fileRefusal { _ = try rig.files.contentsOfDirectory(atPath: ".") } == .sealed)
        #expect(fileRefusal { _ = try rig.files.enumerator(at: rig.files.rootURL) } == .sealed)
        #expect(fileRefusal { try rig.files.removeItem(atPath: "f") } == .sealed)
        try rig.unlock()
        #expect(try rig.files.fileExists(atPath: "f"))
        #expect(try !rig.files.fileExists(atPath: "missing"))
        let files = rig.files
        try rig.volume.close()
        #expect(fileRefusal { _ = try files.fileExists(atPath: "f") } == .closed)
    }
}
