import DataProtection
import Testing

/// What must not take longer, or more of the host, because there is much of it.
@Suite(.serialized) struct `Much of something` {
    @Test(arguments: RigStore.allCases)
    func `hole is passed over by a verify`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let file = try rig.volume.openFile("a", [.readWrite, .create])
        try file.write([1], at: 0)
        try file.write([2], at: 1 << 40)
        #expect(
            try file.nextData(from: 5000)
                == PageLayout.payloadStart(
                    ofPage: PageLayout.lastPage(forSize: file.size)))
        file.close()
        let start = ContinuousClock.now
        #expect(try rig.volume.verify().isWhole)
        let time = ContinuousClock.now - start
        // Reading a terabyte of zeros takes minutes on the fastest machine.
        #expect(time < .seconds(30))
    }

    @Test func `folders do not take all descriptors`() throws {
        let rig = try VolumeRig(.folder)
        for number in 0..<1100 { try rig.volume.makeFolder("\(number)") }
        for number in 0..<1100 { _ = try rig.volume.list("\(number)") }
        let open = try FolderStore(path: "/proc/self/fd").root.list()
        #expect(open.count < 800)
    }

    @Test func `that was half removed goes with the folder it is in`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d")
        let name = try #require(rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        let host = try rig.store.root.openFolder(name)
        try host.makeFolder(".gone-left", mode: 0o700)
        try host.openFolder(".gone-left").makeSymlink(".folder", target: "x")
        try rig.volume.removeFolder("d")
        #expect(try rig.volume.verify().leftoverCount == 0)
    }
}
