import Cryptography
import DataProtection
import Foundation
import Testing

/// A small volume with one of everything, and what a reader has to find in it.
struct SampleVolume {
    /// One entry as docs/format.md lets a reader see it.
    struct Entry: Codable, Hashable {
        var kind: String
        var `class`: String?
        var size: Int
        var sha256: String
    }

    static let passcode = "correct horse"

    let folder: String
    let recoveryKey: String
    let entries: [String: Entry]

    var volume: String { folder + "/volume" }
    var deviceKey: String { folder + "/device.key" }

    /// Makes it in an empty folder.
    init(in folder: String, cipher: VolumeCipher, hasPrivateNames: Bool) throws {
        self.folder = folder
        let volume = try ProtectedVolume.create(
            at: folder + "/volume",
            configuration: VolumeConfiguration(
                cipher: cipher, passcodeCost: .cheap, hasPrivateNames: hasPrivateNames),
            passcode: Passcode(Self.passcode),
            deviceKey: DeviceKey.loadOrCreate(at: folder + "/device.key"))
        recoveryKey = try volume.makeRecoveryKey(passcode: Passcode(Self.passcode)).text
        try Self.fill(volume)
        entries = try Self.read(volume)
        try volume.close()
    }

    private static func fill(_ volume: ProtectedVolume) throws {
        let long = String(repeating: "ü", count: 127)
        try volume.makeFolder("sealed", class: .complete)
        try volume.makeFolder("sealed/deeper")
        try volume.makeFolder(long, class: ProtectionClass.none)
        for (index, protectionClass) in ProtectionClass.allCases.enumerated() {
            try volume.write(
                pattern(100 * (index + 1)), to: protectionClass.name, class: protectionClass)
        }
        for size in [0, 1, 3540, 3541, 7592, 7593] {
            try volume.write(pattern(size), to: "sealed/\(size)")
        }
        try volume.write(pattern(20), to: "sealed/deeper/日本語")
        try volume.write(pattern(30), to: "\(long)/\(String(repeating: "x", count: 255))")
        let file = try volume.openFile("sparse", [.write, .create])
        try file.write([1, 2, 3], at: 0)
        try file.write([4, 5, 6], at: 200_000)
        let raised = try volume.openFile("raised", [.write, .create], class: ProtectionClass.none)
        try raised.write(pattern(5000), at: 0)
        try raised.setProtectionClass(.completeUnlessOpen)
    }

    /// Everything that an open volume holds, by its path.
    static func read(_ volume: ProtectedVolume) throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        var folders = [""]
        while let folder = folders.popLast() {
            for found in try volume.list(folder) {
                let path = folder.isEmpty ? found.name : folder + "/" + found.name
                let protectionClass = try volume.protectionClass(of: path)?.name
                if found.kind == .folder {
                    folders.append(path)
                    entries[path] = Entry(
                        kind: "folder", class: protectionClass, size: 0, sha256: "")
                    continue
                }
                let content = try volume.read(path)
                entries[path] = Entry(
                    kind: "file", class: protectionClass, size: content.count,
                    sha256: SHA256.hash(content.span).hexadecimal)
            }
        }
        return entries
    }
}
