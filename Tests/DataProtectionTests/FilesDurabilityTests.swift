import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// What the power cut leaves of file calls.
@Suite struct `After a power cut` {
    private final class Device {
        let key: DeviceKey
        let store: CrashingStore
        let volume: ProtectedVolume

        init(_ rule: CommitRule) throws {
            key = try DeviceKey.inMemory()
            store = CrashingStore(commitRule: rule)
            volume = try ProtectedVolume.create(
                in: store, configuration: VolumeConfiguration(passcodeCost: .cheap),
                passcode: nil, deviceKey: key)
        }

        /// What is there if the power fails now, or failed then.
        func cut(_ outcome: CutOutcome, after operation: Int? = nil) throws -> ProtectedVolume {
            try ProtectedVolume.open(
                store.cut(outcome, afterOperation: operation), deviceKey: key)
        }
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `everything that was written is there`(rule: CommitRule) throws {
        let device = try Device(rule)
        let files = device.volume.files
        let folder = files.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
            .appending(path: "deep/down")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = Data(pattern(20_000))
        var expected: [URL: Data] = [:]
        func check(_ step: String) throws {
            let found = try device.cut(.nothingUnsynced).files
            for (url, content) in expected {
                let there = found.rootURL.path + url.path.dropFirst(files.rootURL.path.count)
                #expect(try found.contents(atPath: there) == content, "\(step): \(url)")
            }
        }
        for (name, options): (String, ProtectedWritingOptions) in [
            ("plain", []), ("atomic", .atomic), ("first", .withoutOverwriting),
            ("both", [.atomic, .withoutOverwriting]),
        ] {
            let url = folder.appending(path: name)
            try data.write(to: url, options: options, in: files)
            expected[url] = data
            try check(name)
        }
        for (name, options): (String, ProtectedWritingOptions) in [
            ("plain", []), ("atomic", .atomic),
        ] {
            let url = folder.appending(path: name)
            try Data([1]).write(to: url, options: options, in: files)
            expected[url] = Data([1])
            try check(name + " again")
        }
        try files.createFile(atPath: folder.appending(path: "made").path, contents: data)
        expected[folder.appending(path: "made")] = data
        try check("createFile")
        let download = try files.createFile(at: folder.appending(path: "download"))
        try download.write(contentsOf: data)
        try download.synchronize()
        expected[folder.appending(path: "download")] = data
        try check("a synchronised handle")
        try files.copyItem(
            at: folder, to: folder.deletingLastPathComponent().appending(path: "copy"))
        for url in expected.keys {
            let copy = folder.deletingLastPathComponent().appending(path: "copy")
                .appending(path: url.lastPathComponent)
            expected[copy] = expected[url]
        }
        try check("copyItem")
        try files.replaceItemAt(
            folder.appending(path: "atomic"), withItemAt: folder.appending(path: "made"))
        expected[folder.appending(path: "atomic")] = data
        expected[folder.appending(path: "made")] = nil
        try check("replaceItemAt")
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `a file that was replaced is the old one or the new one`(rule: CommitRule) throws {
        let device = try Device(rule)
        let files = device.volume.files
        let url = files.rootURL.appending(path: "f")
        let old = Data(pattern(9000))
        let new = Data(pattern(12_000, seed: 2))
        try old.write(to: url, options: [.atomic, .completeFileProtection], in: files)
        let begin = device.store.operationCount
        try new.write(to: url, options: .atomic, in: files)
        let draft = files.rootURL.appending(path: "draft")
        try old.write(to: draft, in: files)
        try files.replaceItemAt(
            url, withItemAt: draft, backupItemName: "backup", options: .withoutDeletingBackupItem)
        var seen: Set<Data> = []
        for operation in begin...device.store.operationCount {
            for outcome in [CutOutcome.nothingUnsynced, .everything, .random(seed: 1)] {
                let found = try device.cut(outcome, after: operation).files
                let content = try found.contents(atPath: "f")
                #expect(content == old || content == new, "\(operation), \(outcome)")
                let attributes = try found.attributesOfItem(atPath: "f")
                #expect(attributes[.protectionKey] as? FileProtectionType == .complete)
                seen.insert(content)
            }
        }
        #expect(seen == [old, new])
        #expect(try files.contents(atPath: "f") == old)
        #expect(try files.contents(atPath: "backup") == new)
    }

    @Test func `a folder's copy is there as a whole or not at all`() throws {
        let device = try Device(.onlyTheSynced)
        let files = device.volume.files
        try files.createDirectory(atPath: "from/in", withIntermediateDirectories: true)
        for name in ["a", "in/b", "in/c"] {
            try Data(pattern(9000)).write(
                to: files.rootURL.appending(path: "from/" + name),
                options: .completeFileProtection, in: files)
        }
        let begin = device.store.operationCount
        try files.copyItem(atPath: "from", toPath: "to")
        for operation in begin...device.store.operationCount {
            let found = try device.cut(.nothingUnsynced, after: operation)
            if try found.files.fileExists(atPath: "to") {
                #expect(try found.files.contentsEqual(atPath: "from", andPath: "to"))
            }
            // What is left of it is swept when the volume is opened.
            let left = (try? found.list("tmp/TemporaryItems")) ?? []
            #expect(left.isEmpty, "after operation \(operation)")
        }
        #expect(try files.contentsEqual(atPath: "from", andPath: "to"))
    }

    /// Whenever the power fails while a file is written in place under another class.
    @Test func `no content has a weaker class than it was written for`() throws {
        let options: [ProtectionClass: Data.WritingOptions] = [
            .none: .noFileProtection, .complete: .completeFileProtection,
            .completeUnlessOpen: .completeFileProtectionUnlessOpen,
            .completeUntilFirstUserAuthentication:
                .completeFileProtectionUntilFirstUserAuthentication,
        ]
        var seen: Set<UInt8> = []
        for present in ProtectionClass.allCases {
            for asked in ProtectionClass.allCases where asked != present {
                let device = try Device(.onlyTheSynced)
                let files = device.volume.files
                try device.volume.write(
                    [UInt8](repeating: 0xAA, count: 9000), to: "f", class: present)
                let begin = device.store.operationCount
                try Data(repeating: 0xBB, count: 12_000).write(
                    to: files.rootURL.appending(path: "f"), options: options[asked]!, in: files)
                for operation in begin...device.store.operationCount {
                    for outcome in [CutOutcome.nothingUnsynced, .everything, .random(seed: 7)] {
                        let found = try device.cut(outcome, after: operation)
                        let bytes = Set(try found.read("f"))
                        let kept = try #require(try found.protectionClass(of: "f"))
                        seen.formUnion(bytes)
                        if bytes.contains(0xBB) { #expect(kept == asked) }
                        if bytes.contains(0xAA) { #expect(!present.isStricter(than: kept)) }
                    }
                }
            }
        }
        #expect(seen.isSuperset(of: [0xAA, 0xBB]))
    }

    /// ext4 syncs a new file's name with the file; POSIX does not promise it.
    @Test func `a host that syncs names with their folder alone has them, too`() throws {
        let calls = Mutex<[HostCall.Operation]>([])
        var options = MemoryStore.Options()
        options.onCall = { call throws(HostError) in
            if call.operation.changesSomething { calls.withLock { $0.append(call.operation) } }
        }
        let rig = try VolumeRig(options: options)
        let files = rig.files
        /// Whether the last name that a call makes is followed by a sync of its folder.
        func syncsNames(_ call: () throws -> Void) throws -> Bool {
            calls.withLock { $0 = [] }
            try call()
            let made = calls.withLock { $0 }
            let last = try #require(made.lastIndex { [.createFile, .rename].contains($0) })
            return made[last...].contains(.syncFolder)
        }
        #expect(try syncsNames { try Data([1]).write(to: rig.url("a"), in: files) })
        #expect(
            try syncsNames { try Data([1]).write(to: rig.url("b"), options: .atomic, in: files) })
        #expect(try syncsNames { _ = try files.createFile(at: rig.url("c")) })
        #expect(try syncsNames { try files.createFile(atPath: "d", contents: nil) })
        #expect(try syncsNames { try files.copyItem(atPath: "a", toPath: "e") })
        #expect(
            try syncsNames {
                try files.createDirectory(atPath: "f/g", withIntermediateDirectories: true)
            })
        #expect(
            try syncsNames { try files.replaceItemAt(rig.url("a"), withItemAt: rig.url("b")) })
        // A folder's copy is renamed, and then what is left of the way there goes.
        calls.withLock { $0 = [] }
        try files.copyItem(atPath: "f", toPath: "h")
        let made = calls.withLock { $0 }
        #expect(zip(made, made.dropFirst()).contains { $0 == .rename && $1 == .syncFolder })
    }
}
