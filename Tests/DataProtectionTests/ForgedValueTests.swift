import Cryptography
import DataProtection
import Testing

/// What somebody who writes to the host folder puts beside the pages of a file.
@Suite struct `A forged value` {
    private func entry(_ rig: VolumeRig) throws -> String {
        try #require(rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
    }

    /// Gives a file another kept mode, with a checksum that is right.
    private func forgeMode(_ field: UInt32, _ rig: VolumeRig) throws {
        let host = try rig.store.root.openFile(try entry(rig), writable: true)
        var header = [UInt8](repeating: 0, count: 512)
        var span = header.mutableSpan
        _ = try host.read(into: &span, at: 0)
        for index in 0..<4 {
            header[172 + index] = UInt8(truncatingIfNeeded: field >> (8 * UInt32(index)))
        }
        header.replaceSubrange(480..<512, with: SHA256.hash(header.span.extracting(0..<480)))
        try host.write(header.span, at: 0)
    }

    @Test(arguments: [0, 0x8000_0000 | 0o4477] as [UInt32])
    func `of a kept mode is found, and never signed`(field: UInt32) throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "a", mode: 0o000)
        try forgeMode(field, rig)
        var owner = AttributeChange()
        owner.owner = 0
        #expect(refusal { _ = try rig.volume.openFile("a") } == .damaged)
        #expect(refusal { _ = try rig.volume.openFile("a", [.write, .truncate]) } == .damaged)
        #expect(refusal { try rig.volume.setAttributes(owner, of: "a") } == .damaged)
        #expect(try rig.volume.attributes(of: "a").damage != nil)
        // Another mode makes it whole, also the one that was forged.
        try rig.volume.setAttributes(AttributeChange(mode: 0o600), of: "a")
        #expect(try rig.volume.attributes(of: "a").damage == nil)
        #expect(try rig.volume.read("a") == [1])
    }

    @Test func `of a kept mode leaves a sealed file sealed`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "a", class: .complete, mode: 0o000)
        try forgeMode(0, rig)
        rig.volume.lock()
        #expect(refusal { _ = try rig.volume.openFile("a") } == .sealed)
        try rig.volume.setAttributes(AttributeChange(mode: 0o640), of: "a")
        try rig.unlock()
        #expect(try rig.volume.read("a") == [1])
    }

    @Test func `of a link's target or an attribute is found by a verify`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeSymbolicLink("link", target: "a")
        let name = try entry(rig)
        #expect(try rig.volume.verify().isWhole)
        try rig.store.root.removeFile(name)
        try rig.store.root.makeSymlink(name, target: "/etc/passwd")
        #expect(try rig.volume.verify().damagedCount == 1)
        try rig.volume.removeFile("link")

        try rig.volume.write([1], to: "file")
        try rig.volume.setUserAttribute("note", to: [1, 2], of: "file")
        #expect(try rig.volume.verify().isWhole)
        let host = try rig.store.root.openFile(try entry(rig), writable: true)
        for name in try host.userAttributes.names() {
            try host.userAttributes.set(name, to: [9], rule: .set)
        }
        #expect(try rig.volume.verify().damagedCount == 1)
    }
}
