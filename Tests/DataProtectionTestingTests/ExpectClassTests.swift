import DataProtection
import DataProtectionTesting
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// The proof of a class, in Swift Testing.
@Suite struct `Expecting a class` {
    private let url: URL
    private let device: SimulatedDevice
    private let files: ProtectedFileManager

    init() throws {
        device = try SimulatedDevice()
        files = try device.files
        url = files.rootURL.appending(path: "note")
        try Data("note".utf8).write(to: url, options: [.completeFileProtection], in: files)
    }

    /// The issues that a check records, in words, without failing the test.
    private func issues(_ check: () throws -> Void) throws -> [(text: String, line: Int?)] {
        let found = Mutex<[(text: String, line: Int?)]>([])
        try withKnownIssue {
            try check()
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            found.withLock { $0.append((text, issue.sourceLocation?.line)) }
            return true
        }
        return found.withLock { $0 }
    }

    @Test func `holds for a file with the class of its policy, also while it is sealed`() throws {
        let policies: [any StatedProtection] = [
            ProtectionClass.complete, FileProtectionType.complete,
            [.atomic, .completeFileProtection] as ProtectedWritingOptions,
            [.atomic, .completeFileProtection] as Data.WritingOptions, OutboxOptions(),
        ]
        for policy in policies {
            try expectClass(of: url, is: .complete, policy: policy, in: files)
        }
        device.lockAtOnce()
        try expectClass(of: url, is: .complete, policy: ProtectionClass.complete, in: files)
        try device.reboot()
        let afterBoot = try device.files
        try expectClass(of: url, is: .complete, policy: ProtectionClass.complete, in: afterBoot)
    }

    @Test func `holds in a volume, and for the class that a folder gives`() throws {
        let volume = try ProtectedVolume.inMemory(
            passcode: Passcode("correct horse"), deviceKey: DeviceKey.inMemory())
        let folder = volume.files.rootURL.appending(path: "folder")
        try volume.makeFolder("folder", class: .completeUnlessOpen)
        try volume.write([1], to: "folder/file")
        for place in [folder, folder.appending(path: "file")] {
            try expectClass(
                of: place, is: .completeUnlessOpen, policy: ProtectionClass.completeUnlessOpen,
                in: volume.files)
        }
        try volume.makeFolder("plain")
        let found = try issues {
            try expectClass(
                of: volume.files.rootURL.appending(path: "plain"), is: .complete,
                policy: ProtectionClass.complete, in: volume.files)
        }
        #expect(found.count == 1)
        #expect(found.first?.text.contains("has no class of its own") == true)
    }

    @Test func `fails where it stands, with the file, the expected and the found class`() throws {
        try files.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: url.path)
        let line = #line + 2
        let found = try issues {
            try expectClass(of: url, is: .complete, policy: ProtectionClass.complete, in: files)
        }
        #expect(found.count == 1)
        #expect(found.first?.line == line)
        #expect(
            found.first?.text.hasPrefix("\(url.path): expected class complete, found none") == true)
    }

    @Test func `fails for a policy of another class, of none, of two, or of an unknown one`() throws
    {
        let wrong: [(any StatedProtection, String)] = [
            (ProtectionClass.none, "it names class none"),
            ([.atomic] as ProtectedWritingOptions, "it names no class"),
            ([.completeFileProtection, .noFileProtection] as ProtectedWritingOptions, "no single"),
            (FileProtectionType(rawValue: "whenever"), "it names no class"),
        ]
        for (policy, words) in wrong {
            let found = try issues {
                try expectClass(of: url, is: .complete, policy: policy, in: files)
            }
            #expect(found.count == 1)
            #expect(found.first?.text.contains(words) == true, "\(found)")
            let alone = try issues { expectPolicy(policy, is: .complete) }
            #expect(alone.map(\.text) == found.map(\.text))
        }
        #expect(expectPolicy(ProtectionClass.complete, is: .complete))
    }

    @Test func `says of a file that is missing, damaged or elsewhere that it is that`() throws {
        let missing = try issues {
            try expectClass(
                of: files.rootURL.appending(path: "other"), is: .complete,
                policy: ProtectionClass.complete, in: files)
        }
        #expect(missing.count == 1)
        #expect(missing.first?.text.contains("its class cannot be told") == true)
        #expect(missing.first?.text.contains("found") == false, "\(missing)")
        let elsewhere = try issues {
            try expectClass(
                of: URL(filePath: "/tmp/note"), is: .complete, policy: ProtectionClass.complete,
                in: files)
        }
        #expect(elsewhere.count == 1)
        #expect(elsewhere.first?.text.contains("its class cannot be told") == true)
    }

    @Test func `says of a damaged file that it is that`() throws {
        let scratch = try ScratchFolder()
        let place = scratch.path(of: "volume")
        let volume = try ProtectedVolume.create(
            at: place, passcode: Passcode("correct horse"), deviceKey: DeviceKey.inMemory())
        let before = Set(try FileManager.default.subpathsOfDirectory(atPath: place))
        try volume.write([1], to: "note", class: .complete)
        let after = Set(try FileManager.default.subpathsOfDirectory(atPath: place))
        let name = try #require(after.subtracting(before).first)
        let handle = try #require(FileHandle(forUpdatingAtPath: place + "/" + name))
        try handle.seek(toOffset: 40)
        try handle.write(contentsOf: Data(repeating: 7, count: 8))
        try handle.close()
        let found = try issues {
            try expectClass(
                of: volume.files.rootURL.appending(path: "note"), is: .complete,
                policy: ProtectionClass.complete, in: volume.files)
        }
        #expect(found.count == 1)
        #expect(found.first?.text.contains("its class cannot be told: it is damaged") == true)
        try volume.close()
    }

    @Test func `says of a file whose name is sealed that it is that`() throws {
        let scratch = try ScratchFolder()
        let place = scratch.path(of: "volume")
        let key = try DeviceKey.inMemory()
        let former = try ProtectedVolume.create(
            at: place, configuration: VolumeConfiguration(hasPrivateNames: true),
            passcode: Passcode("correct horse"), deviceKey: key)
        try former.write([1], to: "note", class: .complete)
        try former.close()
        let volume = try ProtectedVolume.open(at: place, deviceKey: key)
        let found = try issues {
            try expectClass(
                of: volume.files.rootURL.appending(path: "note"), is: .complete,
                policy: ProtectionClass.complete, in: volume.files)
        }
        #expect(found.count == 1)
        #expect(found.first?.text.contains("its class cannot be told") == true)
        #expect(found.first?.text.contains("unlock") == true)
        try volume.close()
    }

    @Test func `ends the test where Data Protection is not enforced`() throws {
        let simulator = try SimulatedDevice(.init(enforcesDataProtection: false))
        let files = try simulator.files
        let url = files.rootURL.appending(path: "note")
        try Data().write(to: url, options: [.completeFileProtection], in: files)
        try expectClass(of: url, is: .complete, policy: ProtectionClass.complete, in: files)
        Issue.record("went on where nothing can be proved")
    }

    @Test func `fails also where Data Protection is not enforced, for what is wrong there`() throws
    {
        let simulator = try SimulatedDevice(.init(enforcesDataProtection: false))
        let files = try simulator.files
        let url = files.rootURL.appending(path: "note")
        let missing = try issues {
            try expectClass(of: url, is: .complete, policy: ProtectionClass.complete, in: files)
        }
        #expect(missing.first?.text.contains("its class cannot be told") == true)
        try Data().write(to: url, options: [.completeFileProtection], in: files)
        let policy = try issues {
            try expectClass(of: url, is: .complete, policy: ProtectionClass.none, in: files)
        }
        #expect(policy.map(\.text) == ["the policy: expected class complete, it names class none"])
    }
}
