import DataProtection
import Foundation
import TestSupport
import Testing

/// Volumes of format 1 in Tests/Formats that were written once, and are to be opened for ever.
@Suite struct `A frozen volume` {
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let cipher: VolumeCipher
        let hasPrivateNames: Bool
    }

    private static let samples = [
        Sample(testDescription: "v1-aes", cipher: .aes, hasPrivateNames: false),
        Sample(testDescription: "v1-chacha", cipher: .chacha, hasPrivateNames: false),
        Sample(testDescription: "v1-private-names", cipher: .chacha, hasPrivateNames: true),
    ]

    /// What Tests/Formats/*/expected.json holds.
    private struct Expected: Codable {
        var passcode, recoveryKey: String
        var entries: [String: SampleVolume.Entry]
    }

    private func frozen(_ sample: Sample) -> URL {
        Repository.file("Tests/Formats/" + sample.testDescription)
    }

    /// A copy that can be written to, and what it holds.
    private func thaw(_ sample: Sample, in scratch: ScratchFolder) throws -> Expected {
        try FileManager.default.copyItem(
            at: frozen(sample), to: URL(filePath: scratch.path(of: "copy")))
        let data = try Data(contentsOf: frozen(sample).appending(path: "expected.json"))
        return try JSONDecoder().decode(Expected.self, from: data)
    }

    @Test(arguments: samples) func `opens with its passcode`(sample: Sample) throws {
        let scratch = try ScratchFolder()
        let expected = try thaw(sample, in: scratch)
        let device = try DeviceKey.load(from: scratch.path(of: "copy/device.key"))
        let volume = try ProtectedVolume.open(
            at: scratch.path(of: "copy/volume"), deviceKey: device)
        #expect(volume.openingNotes.isEmpty)
        #expect(volume.cipher == sample.cipher)
        #expect(volume.hasPrivateNames == sample.hasPrivateNames)
        try volume.unlock(passcode: Passcode(expected.passcode))
        #expect(try SampleVolume.read(volume) == expected.entries)
        // It can also be worked with.
        for path in expected.entries.keys where expected.entries[path]?.kind == "file" {
            let file = try volume.openFile(path, .readWrite)
            try file.append([1])
            #expect(file.size == Int64(expected.entries[path]!.size + 1))
        }
        try volume.close()
    }

    @Test(arguments: samples) func `opens with its recovery key alone`(sample: Sample) throws {
        let scratch = try ScratchFolder()
        let expected = try thaw(sample, in: scratch)
        let volume = try ProtectedVolume.open(
            at: scratch.path(of: "copy/volume"), recoveryKey: RecoveryKey(expected.recoveryKey))
        #expect(try SampleVolume.read(volume) == expected.entries)
        try volume.close()
    }

    /// Never run again for a version that was released: `SEAL_FREEZE_FORMATS=1 swift test`.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["SEAL_FREEZE_FORMATS"] != nil,
            "makes the frozen volumes; set SEAL_FREEZE_FORMATS to do so"),
        arguments: samples)
    func `is made once`(sample: Sample) throws {
        let folder = frozen(sample)
        try #require(!FileManager.default.fileExists(atPath: folder.path))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = try SampleVolume(
            in: folder.path, cipher: sample.cipher, hasPrivateNames: sample.hasPrivateNames)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(
            Expected(
                passcode: SampleVolume.passcode, recoveryKey: made.recoveryKey,
                entries: made.entries)
        ).write(to: folder.appending(path: "expected.json"))
        try FileManager.default.removeItem(atPath: made.volume + "/.lock")
    }
}
