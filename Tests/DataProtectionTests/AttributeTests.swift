import DataProtection
import Testing

/// Modes, owners and times.
@Suite struct `An attribute` {
    private static let modes: [UInt32] = [
        0o000, 0o200, 0o400, 0o600, 0o644, 0o077, 0o4755, 0o2070, 0o1777, 0o7777, 0o500, 0o300,
    ]

    @Test(arguments: RigStore.allCases)
    func `mode is what was set, whatever the host needs`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        for mode in Self.modes {
            let name = String(mode, radix: 8)
            try rig.volume.openFile("f" + name, [.write, .create], mode: mode).write([1], at: 0)
            try rig.volume.makeFolder("d" + name, mode: mode)
            try rig.volume.write([1], to: "f", mode: 0o640)
            try rig.volume.makeFolder("d")
            try rig.volume.setAttributes(AttributeChange(mode: mode), of: "f")
            try rig.volume.setAttributes(AttributeChange(mode: mode), of: "d")
            for path in ["f" + name, "d" + name, "f", "d"] {
                #expect(try rig.volume.attributes(of: path).mode == mode, "\(path) \(name)")
            }
            try rig.reopen()
            for path in ["f" + name, "d" + name, "f", "d"] {
                let found = try rig.volume.attributes(of: path)
                #expect(found.mode == mode, "\(path) \(name)")
                #expect(found.damage == nil)
            }
            try rig.volume.setAttributes(AttributeChange(mode: 0o700), of: "d")
            try rig.volume.setAttributes(AttributeChange(mode: 0o600), of: "f")
            #expect(try rig.volume.attributes(of: "f").mode == 0o600)
            #expect(try rig.volume.read("f") == [1])
            try rig.volume.removeFile("f")
            try rig.volume.removeFolder("d")
        }
        #expect(
            refusal { try rig.volume.setAttributes(AttributeChange(mode: 0o10000), of: "f0") }
                == .invalidArgument)
    }

    @Test(arguments: LockState.allCases)
    func `can be changed in every lock state`(state: LockState) throws {
        let rig = try VolumeRig()
        for protectionClass in ProtectionClass.allCases {
            try rig.volume.write([1], to: protectionClass.name, class: protectionClass)
        }
        try rig.volume.makeFolder("folder", class: .complete)
        try rig.enter(state)
        let names = ProtectionClass.allCases.map(\.name) + ["folder"]
        var change = AttributeChange(mode: 0o070)
        change.modificationTime = .time(FileTime(seconds: 5, nanoseconds: 6))
        for name in names {
            try rig.volume.setAttributes(change, of: name)
            let found = try rig.volume.attributes(of: name)
            #expect(found.mode == 0o070)
            #expect(found.modificationTime == FileTime(seconds: 5, nanoseconds: 6))
        }
        try rig.reopen()
        for protectionClass in ProtectionClass.allCases {
            try rig.volume.setAttributes(AttributeChange(mode: 0o600), of: protectionClass.name)
            #expect(try rig.volume.read(protectionClass.name) == [1])
            #expect(try rig.volume.protectionClass(of: protectionClass.name) == protectionClass)
        }
    }

    @Test(arguments: RigStore.allCases)
    func `time is kept to the nanosecond`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "file")
        try rig.volume.makeFolder("folder")
        try rig.volume.makeSymbolicLink("link", target: "file")
        let times = [
            FileTime(seconds: 1, nanoseconds: 999_999_999), FileTime(seconds: 0),
            FileTime(seconds: 1_700_000_000, nanoseconds: 1), FileTime(seconds: -1, nanoseconds: 5),
        ]
        for path in ["file", "folder", "link"] {
            for (index, time) in times.enumerated() {
                var change = AttributeChange()
                change.accessTime = .time(time)
                change.modificationTime = .time(times[(index + 1) % times.count])
                try rig.volume.setAttributes(change, of: path, followingLinks: false)
                let found = try rig.volume.attributes(of: path)
                #expect(found.accessTime == time)
                #expect(found.modificationTime == times[(index + 1) % times.count])
                // Looking does not change it.
                #expect(try rig.volume.attributes(of: path) == found)
            }
        }
        var change = AttributeChange()
        change.modificationTime = .time(FileTime(seconds: 0, nanoseconds: 1_000_000_000))
        #expect(refusal { try rig.volume.setAttributes(change, of: "file") } == .invalidArgument)
        change.modificationTime = .now
        try rig.volume.setAttributes(change, of: "file")
        #expect(try rig.volume.attributes(of: "file").modificationTime > FileTime(seconds: 1_000))
    }

    @Test(arguments: RigStore.allCases)
    func `time of the last change is that of the content`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "file")
        try rig.volume.makeFolder("folder")
        let old = FileTime(seconds: 1000, nanoseconds: 7)
        var change = AttributeChange()
        change.modificationTime = .time(old)
        for path in ["file", "folder"] { try rig.volume.setAttributes(change, of: path) }
        try rig.volume.setAttributes(AttributeChange(mode: 0o000), of: "file")
        try rig.volume.setAttributes(AttributeChange(mode: 0o600), of: "file")
        try rig.volume.setProtectionClass(.complete, of: "file")
        try rig.volume.setAttributes(AttributeChange(mode: 0o000), of: "folder")
        try rig.volume.setAttributes(AttributeChange(mode: 0o700), of: "folder")
        try rig.volume.setProtectionClass(.complete, of: "folder")
        _ = try rig.volume.read("file")
        try rig.reopen()
        _ = try rig.volume.read("file")
        #expect(try rig.volume.attributes(of: "file").modificationTime == old)
        #expect(try rig.volume.attributes(of: "folder").modificationTime == old)
        let file = try rig.volume.openFile("file", .readWrite)
        try file.write([2], at: 0)
        #expect(try file.attributes().modificationTime > old)
        try rig.volume.write([3], to: "folder/new")
        #expect(try rig.volume.attributes(of: "folder").modificationTime > old)
    }

    /// As on a plain folder: 'man 2 open' O_TRUNC, 'man 2 truncate', 'man 2 mkdir'.
    @Test(arguments: RigStore.allCases)
    func `time tells that something was written, and nothing else`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let old = FileTime(seconds: 1000, nanoseconds: 7)
        var change = AttributeChange()
        change.modificationTime = .time(old)
        change.accessTime = .time(old)
        let file = try rig.volume.openFile("file", [.readWrite, .create])
        let written: [() throws -> Void] = [
            { _ = try rig.volume.openFile("file", [.write, .truncate]) },
            { try file.truncate(to: 0) }, { try file.write([1], at: 0) },
            { try file.truncate(to: 1) },
        ]
        for (number, write) in written.enumerated() {
            try file.setAttributes(change)
            try write()
            #expect(try file.attributes().modificationTime > old, "\(number)")
        }
        // Reading, also through the handle that made the file, leaves no trace.
        try file.setAttributes(change)
        #expect(try file.read(at: 0, count: 1) == [1])
        try rig.volume.setProtectionClass(.complete, of: "file")
        #expect(try file.attributes().accessTime == old)
        #expect(try file.attributes().modificationTime == old)
        // A name that is taken is no change of its folder.
        try rig.volume.makeFolder("folder")
        for name in ["a", String(repeating: "n", count: 200)] {
            try rig.volume.write([1], to: "folder/" + name)
            try rig.volume.setAttributes(change, of: "folder")
            let made: [() throws -> Void] = [
                { try rig.volume.makeFolder("folder/" + name) },
                { try rig.volume.link("file", to: "folder/" + name) },
                { try rig.volume.makeSymbolicLink("folder/" + name, target: "x") },
                { try rig.volume.rename("file", to: "folder/" + name, rule: .exclusive) },
            ]
            for make in made { #expect(refusal(make) == .exists) }
            #expect(try rig.volume.attributes(of: "folder").modificationTime == old)
        }
    }

    @Test(arguments: RigStore.allCases)
    func `owner is the host's`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "file", mode: 0o6000)
        let before = try rig.volume.attributes(of: "file")
        var change = AttributeChange()
        change.owner = before.owner
        change.group = before.group
        try rig.volume.setAttributes(change, of: "file")
        let after = try rig.volume.attributes(of: "file")
        #expect(after.owner == before.owner)
        #expect(after.group == before.group)
        // See: 'man 2 chown'. The group's bit stays where no group may execute.
        #expect(after.mode == 0o2000)
        try Test.cancelUnlessRoot(before.owner)
        change.owner = 12345
        change.group = 54321
        try rig.volume.makeFolder("folder")
        try rig.volume.makeSymbolicLink("link", target: "nowhere")
        for path in ["file", "folder", "link"] {
            try rig.volume.setAttributes(change, of: path, followingLinks: false)
            let found = try rig.volume.attributes(of: path)
            #expect(found.owner == 12345)
            #expect(found.group == 54321)
        }
    }

    @Test(arguments: RigStore.allCases)
    func `owner of a folder takes no bits with it, as on Linux`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.makeFolder("kept", mode: 0o2550)
        try rig.volume.makeFolder("plain", mode: 0o2750)
        var change = AttributeChange()
        change.group = try rig.volume.attributes(of: "kept").group
        for name in ["kept", "plain"] { try rig.volume.setAttributes(change, of: name) }
        #expect(try rig.volume.attributes(of: "kept").mode == 0o2550)
        #expect(try rig.volume.attributes(of: "plain").mode == 0o2750)
    }

    @Test func `mode forbids to the owner what it says`() {
        let cases: [(bits: UInt32, mode: UInt32?, owner: UInt32, user: UInt32, isAllowed: Bool)] = [
            (4, 0o200, 7, 7, false), (2, 0o200, 7, 7, true), (6, 0o200, 7, 7, false),
            (4, 0o000, 7, 7, false), (4, 0o077, 7, 7, false), (4, 0o400, 7, 7, true),
            (0, 0o000, 7, 7, true), (3, 0o500, 7, 7, false), (1, 0o100, 7, 7, true),
            (4, 0o000, 7, 0, true), (4, 0o000, 0, 0, true),
            // Others are refused by the host, which has their bits.
            (4, 0o000, 7, 8, true), (6, nil, 7, 7, true),
        ]
        for (bits, mode, owner, user, isAllowed) in cases {
            #expect(KeptMode.allows(bits, mode, owner: owner, user: user) == isAllowed)
        }
    }

    @Test(arguments: RigStore.allCases)
    func `of a file survives that the file is saved anew`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "file", mode: 0o640)
        try rig.volume.setUserAttribute("note", to: [9, 9], of: "file")
        try rig.volume.write([2], to: "file")
        #expect(try rig.volume.attributes(of: "file").mode == 0o640)
        #expect(try rig.volume.userAttribute("note", of: "file") == [9, 9])
        try rig.volume.setAttributes(AttributeChange(mode: 0o007), of: "file")
        rig.volume.lock()
        try rig.volume.write([3], to: "file")
        #expect(try rig.volume.attributes(of: "file").mode == 0o007)
        try rig.volume.write([4], to: "file", mode: 0o600)
        #expect(try rig.volume.attributes(of: "file").mode == 0o600)
        #expect(try rig.volume.userAttributeNames(of: "file") == ["note"])
    }
}

extension Test {
    /// Ends a test that only root can go on with.
    static func cancelUnlessRoot(_ user: UInt32) throws {
        if user != 0 { try Test.cancel("needs root: gives files away") }
    }
}
