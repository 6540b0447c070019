import DataProtection
import Foundation
import TestSupport
import Testing

/// Volumes that this engine wrote, as Tests/Reader sees them: an independent implementation.
@Suite struct `The independent reader` {
    private struct Report: Decodable {
        struct Entry: Decodable {
            var path, kind: String
            var `class`, sha256, error, nameError: String?
            var size: Int?
        }
        struct Volume: Decodable { var unlocked: Bool }

        var volume: Volume
        var entries: [Entry]
    }

    private static let python = "/usr/bin/python3"

    /// Whether this machine has what the reader needs.
    private static let isReady: Bool = {
        let check = "import cryptography, argon2, Cryptodome"
        return (try? run(["-c", check]))?.status == 0
    }()

    private static func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: python)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    private func read(_ arguments: [String]) throws -> Report {
        let reader = Repository.file("Tests/Reader/reader.py").path
        let (status, output) = try Self.run([reader] + arguments)
        #expect(status == 0)
        return try JSONDecoder().decode(Report.self, from: output)
    }

    private func entries(_ report: Report) -> [String: SampleVolume.Entry] {
        Dictionary(
            uniqueKeysWithValues: report.entries.map { entry in
                let found = SampleVolume.Entry(
                    kind: entry.kind, class: entry.class, size: entry.size ?? 0,
                    sha256: entry.sha256 ?? "")
                return (entry.path, found)
            })
    }

    @Test(
        .enabled(if: isReady, "python3 with cryptography, argon2 and pycryptodome"),
        arguments: [VolumeCipher.aes, .chacha], [false, true])
    func `finds what was written`(cipher: VolumeCipher, hasPrivateNames: Bool) throws {
        let scratch = try ScratchFolder()
        let sample = try SampleVolume(
            in: scratch.path, cipher: cipher, hasPrivateNames: hasPrivateNames)
        let passcode = scratch.path(of: "passcode")
        try Data(SampleVolume.passcode.utf8).write(to: URL(filePath: passcode))
        let recovery = scratch.path(of: "recovery")
        try Data(sample.recoveryKey.utf8).write(to: URL(filePath: recovery))
        let device = ["--device-key", sample.deviceKey]

        let unlocked = try read([sample.volume] + device + ["--passcode-file", passcode])
        #expect(entries(unlocked) == sample.entries)
        #expect(unlocked.entries.allSatisfy { $0.error == nil && $0.nameError == nil })
        let recovered = try read([sample.volume, "--recovery-key-file", recovery])
        #expect(entries(recovered) == sample.entries)

        let sealed = try read([sample.volume] + device)
        #expect(!sealed.volume.unlocked)
        if hasPrivateNames {
            #expect(sealed.entries.allSatisfy { $0.nameError == "sealed" })
            return
        }
        #expect(sealed.entries.count == sample.entries.count)
        for entry in sealed.entries {
            let isReadable = entry.kind == "folder" || entry.class == "none"
            #expect(entry.error == (isReadable ? nil : "sealed"), "\(entry.path)")
            #expect(entry.class == sample.entries[entry.path]?.class)
            guard isReadable else { continue }
            #expect((entry.sha256 ?? "") == sample.entries[entry.path]?.sha256)
        }
    }
}
