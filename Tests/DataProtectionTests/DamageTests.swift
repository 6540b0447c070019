import DataProtection
import TestSupport
import Testing

/// Files whose bytes on the host are not what was written.
@Suite struct `A damaged file` {
    private static let spots = [0, 8, 9, 20, 40, 100, 152, 160, 172, 180, 200, 490]

    private func host(_ rig: VolumeRig) throws -> any BackingFile {
        let name = try #require(
            rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        return try rig.store.root.openFile(name, writable: true)
    }

    private func flip(_ offset: Int64, _ rig: VolumeRig) throws {
        let file = try host(rig)
        let byte = try file.bytes(1, at: offset)[0]
        try file.write([byte ^ 0x10], at: offset)
    }

    @Test(arguments: spots) func `can be listed, removed and replaced, but not read`(spot: Int)
        throws
    {
        for way in 0..<4 {
            let rig = try VolumeRig()
            try rig.volume.write(pattern(5000), to: "f", class: .completeUnlessOpen)
            try flip(Int64(spot), rig)
            #expect(try rig.volume.list().map(\.name) == ["f"])
            #expect(try rig.volume.attributes(of: "f").kind == .file)
            if !(172..<192).contains(spot) {
                #expect(refusal { _ = try rig.volume.read("f") } == .damaged)
            }
            let host = try host(rig).allBytes()
            switch way {
            case 0: try rig.volume.removeFile("f")
            case 1:
                try rig.volume.write([1], to: "g")
                try rig.volume.rename("g", to: "f")
                #expect(try rig.volume.read("f") == [1])
            case 2:
                try rig.volume.write([2], to: "f")
                #expect(try rig.volume.read("f") == [2])
            default:
                guard !(172..<192).contains(spot) else { break }
                for options in [[.write, .truncate], [.write, .create, .truncate]] as [OpenOptions]
                {
                    let outcome = Outcome { _ = try rig.volume.openFile("f", options) }
                    #expect(outcome == .refused(.damaged))
                }
                #expect(try self.host(rig).allBytes() == host, "nothing was cut")
                #expect(
                    refusal { try rig.volume.setProtectionClass(.complete, of: "f") } == .damaged)
            }
        }
    }

    @Test func `says so in every lock state, where its header shows it`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: .complete)
        try flip(100, rig)
        for state in TruthRow.states {
            try rig.enter(state)
            #expect(try rig.volume.attributes(of: "f").damage != nil)
            #expect(refusal { _ = try rig.volume.protectionClass(of: "f") } == .damaged)
            #expect(refusal { _ = try rig.volume.read("f") } == .damaged)
            try rig.unlock()
        }
    }

    @Test func `can be read up to its damaged page, and written anew there`() throws {
        let rig = try VolumeRig()
        let content = pattern(20_000)
        try rig.volume.write(content, to: "f")
        try flip(4096 * 2 + 1000, rig)
        let file = try rig.volume.openFile("f", .readWrite)
        #expect(try file.read(at: 0, count: 7592) == Array(content[..<7592]))
        #expect(refusal { _ = try file.read(at: 7592, count: 1) } == .damaged)
        #expect(try file.read(at: 11_644, count: 9999) == Array(content[11_644...]))
        #expect(refusal { try file.write([1], at: 8000) } == .damaged)
        try file.write([UInt8](repeating: 7, count: 4052), at: 7592)
        #expect(try file.read(at: 7592, count: 1) == [7])
    }

    @Test(arguments: [0, 1, 511, 512, 4095, 4096, 4097, 8191, 8192, 12_287])
    func `that was cut says so in a volume that was closed cleanly`(count: Int) throws {
        let rig = try VolumeRig()
        try rig.volume.write(pattern(11_000), to: "f")
        try rig.reopen()
        try host(rig).truncate(to: Int64(count))
        #expect(refusal { _ = try rig.volume.read("f") } == .damaged)
        #expect(try rig.volume.attributes(of: "f").damage != nil)
    }

    @Test func `is one that another volume or another file put there`() throws {
        let rig = try VolumeRig()
        let other = try VolumeRig()
        try rig.volume.write(pattern(9000), to: "f")
        try other.volume.write(pattern(9000), to: "f")
        let foreign = try host(other).allBytes()
        try rig.reopen()
        try host(rig).write(foreign)
        #expect(refusal { _ = try rig.volume.read("f") } == .damaged)
        let again = try VolumeRig()
        try again.volume.write(pattern(9000), to: "f")
        let page = try host(again).bytes(4096, at: 4096)
        try again.volume.write(pattern(9000), to: "f")
        try host(again).write(page, at: 4096)
        #expect(refusal { _ = try again.volume.read("f") } == .damaged)
    }

    @Test func `is never one that was stopped in its making`() throws {
        // The power fails between the host file and its first page.
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "warm")
        try rig.volume.openFile("f", [.write, .create], class: .completeUnlessOpen).close()
        let names = try rig.store.root.list().map(\.name).filter { !$0.hasPrefix(".") }
        for name in names {
            let file = try rig.store.root.openFile(name, writable: true)
            if try file.attributes().byteCount == 4096 { try file.truncate(to: 0) }
        }
        rig.store.releaseOwnership()
        let volume = try ProtectedVolume.open(rig.store, deviceKey: rig.device)
        #expect(volume.wasUnclean)
        #expect(try volume.attributes(of: "f").damage == nil)
        #expect(try volume.attributes(of: "f").protectionClass == .completeUnlessOpen)
        try volume.unlock(passcode: Passcode(VolumeRig.passcode))
        #expect(try volume.read("f") == [])
        #expect(try volume.protectionClass(of: "f") == .completeUnlessOpen)
    }
}
