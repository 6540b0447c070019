import Cryptography
import DataProtection
import Foundation
import TestSupport
import Testing

/// Volumes that this engine wrote, as Tests/Reader sees them: an independent implementation.
@Suite struct `The independent reader` {
    private struct Report: Decodable {
        struct Entry: Decodable {
            var path, kind: String
            var `class`, sha256, error, nameError, mode, target: String?
            var size: Int?
            var attributes: [String: String]?
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

    @Test(.enabled(if: isReady, "python3 with cryptography, argon2 and pycryptodome"))
    func `finds links, nodes, modes, attributes and holes`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path(of: "volume")
        let key = scratch.path(of: "device.key")
        let volume = try ProtectedVolume.create(
            at: path, passcode: nil, deviceKey: DeviceKey.loadOrCreate(at: key))
        try volume.makeFolder("folder", class: .complete, mode: 0o050)
        try volume.write(pattern(9000), to: "folder/file", mode: 0o004)
        try volume.link("folder/file", to: "second")
        try volume.makeSymbolicLink("link", target: "folder/file")
        try volume.makeNode("fifo", .fifo, mode: 0o640)
        try volume.setUserAttribute("note ü", to: [0, 255], of: "second")
        try volume.setUserAttribute("empty", to: [], of: "folder")
        let file = try volume.openFile("sparse", [.read, .write, .create])
        try file.write(pattern(100_000), at: 0)
        try file.punchHole(10_000..<90_000)
        let sparse = try file.read(at: 0, count: 100_000)
        file.close()
        try volume.close()

        let report = try read([path, "--device-key", key])
        let found = Dictionary(uniqueKeysWithValues: report.entries.map { ($0.path, $0) })
        #expect(found.count == 6)
        #expect(report.entries.allSatisfy { $0.error == nil && $0.nameError == nil })
        #expect(found["folder"]?.mode == "0050")
        #expect(found["folder"]?.attributes == ["user.empty": ""])
        for name in ["folder/file", "second"] {
            #expect(found[name]?.mode == "0004")
            #expect(found[name]?.sha256 == SHA256.hash(pattern(9000).span).hexadecimal)
            #expect(found[name]?.class == "complete")
            #expect(found[name]?.attributes == ["user.note ü": "00ff"])
        }
        #expect(found["link"]?.target == "folder/file")
        #expect(found["link"]?.size == 11)
        #expect(found["fifo"]?.kind == "fifo")
        #expect(found["sparse"]?.sha256 == SHA256.hash(sparse.span).hexadecimal)
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
