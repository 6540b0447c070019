import DataProtection
import Foundation
import Testing

@Suite struct `Names that are read beside the owner` {
    /// Everything in a folder of the host: paths, sizes, times and numbers of inodes.
    private static func state(_ path: String) throws -> [String] {
        let manager = FileManager.default
        return try manager.subpathsOfDirectory(atPath: path).sorted().map { name in
            let found = try manager.attributesOfItem(atPath: "\(path)/\(name)")
            let parts = [FileAttributeKey.size, .modificationDate, .systemFileNumber].map {
                "\(found[$0] ?? "")"
            }
            return "\(name) \(parts)"
        }
    }

    @Test func `are what the owner sees, and nothing is touched`() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.makeFolder("d", class: .complete)
        for path in ["a", "d/b", "d/" + String(repeating: "l", count: 200)] {
            try rig.volume.write([1], to: path, class: .complete)
        }
        try rig.store.root.removeFile(".keybag-2")
        let before = try Self.state(rig.path)
        for folder in ["", "/", "d", "/d/"] {
            let names = try ProtectedVolume.names(
                in: folder, ofVolumeAt: rig.path, deviceKey: rig.device)
            #expect(try names == rig.volume.list(folder))
        }
        #expect(
            refusal {
                _ = try ProtectedVolume.names(
                    in: "nothing", ofVolumeAt: rig.path, deviceKey: rig.device)
            } == .missing)
        #expect(
            refusal {
                _ = try ProtectedVolume.names(
                    in: "", ofVolumeAt: rig.path, deviceKey: try DeviceKey.inMemory())
            } == .deviceKey)
        #expect(try Self.state(rig.path) == before)
        // The owner still has it.
        #expect(
            refusal { _ = try ProtectedVolume.open(at: rig.path, deviceKey: rig.device) } == .busy)
        try rig.volume.write([2], to: "a")
    }

    @Test func `stay private before the first unlock`() throws {
        let rig = try VolumeRig(.folder, hasPrivateNames: true)
        try rig.volume.write([1], to: "a")
        #expect(
            refusal {
                _ = try ProtectedVolume.names(in: "", ofVolumeAt: rig.path, deviceKey: rig.device)
            } == .sealed)
    }
}
