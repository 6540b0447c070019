import DataProtection
import Testing

/// `user.*` attributes of files and folders.
@Suite struct `A user attribute` {
    @Test(arguments: RigStore.allCases) func `is kept as it was set`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "file", class: .complete)
        try rig.volume.makeFolder("folder")
        let long = String(repeating: "n", count: 171)
        let values = ["a": [], "ü b": [0, 255, 0], long: pattern(1000)]
        for path in ["file", "folder", ""] {
            for (name, value) in values {
                try rig.volume.setUserAttribute(name, to: value, of: path)
            }
        }
        try rig.reboot()
        for path in ["file", "folder", ""] {
            #expect(try rig.volume.userAttributeNames(of: path) == values.keys.sorted())
            for (name, value) in values {
                #expect(try rig.volume.userAttribute(name, of: path) == value)
            }
            try rig.volume.removeUserAttribute("a", of: path)
            #expect(try rig.volume.userAttribute("a", of: path) == nil)
            #expect(refusal { try rig.volume.removeUserAttribute("a", of: path) } == .noAttribute)
        }
    }

    @Test(arguments: RigStore.allCases) func `follows its rule`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "f")
        func set(_ value: UInt8, _ rule: UserAttributeRule) -> ProtectionError.Code? {
            refusal { try rig.volume.setUserAttribute("a", to: [value], of: "f", rule: rule) }
        }
        #expect(set(1, .replace) == .noAttribute)
        #expect(set(2, .create) == nil)
        #expect(set(3, .create) == .exists)
        #expect(set(4, .replace) == nil)
        #expect(try rig.volume.userAttribute("a", of: "f") == [4])
        for name in ["", String(repeating: "n", count: 172)] {
            #expect(
                refusal { try rig.volume.setUserAttribute(name, to: [], of: "f") } == .invalidName)
        }
        let tooLong = [UInt8](repeating: 0, count: 65497)
        #expect(
            refusal { try rig.volume.setUserAttribute("b", to: tooLong, of: "f") }
                == .invalidArgument)
        #expect(try rig.volume.userAttributeNames(of: "f") == ["a"])
    }

    @Test func `belongs to files and folders alone`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeNode("fifo", .fifo, mode: 0o600)
        #expect(refusal { _ = try rig.volume.userAttributeNames(of: "fifo") } == .notSupported)
        #expect(refusal { _ = try rig.volume.userAttribute("a", of: "none") } == .missing)
        // A link is followed.
        try rig.volume.write([1], to: "f")
        try rig.volume.makeSymbolicLink("link", target: "f")
        try rig.volume.setUserAttribute("a", to: [1], of: "link")
        #expect(try rig.volume.userAttribute("a", of: "f") == [1])
    }

    @Test func `can be set in every lock state, as names can`() throws {
        for state in LockState.allCases {
            let rig = try VolumeRig()
            try rig.volume.write([1], to: "f", class: .complete)
            try rig.enter(state)
            try rig.volume.setUserAttribute("a", to: [5], of: "f")
            #expect(try rig.volume.userAttribute("a", of: "f") == [5])
        }
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.volume.setUserAttribute("a", to: [5], of: "")
        try rig.reboot()
        #expect(refusal { _ = try rig.volume.userAttribute("a", of: "") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.userAttribute("a", of: "") == [5])
    }

    @Test func `is sealed on the host, and damage is found`() throws {
        let rig = try VolumeRig(.folder)
        try rig.volume.write([1], to: "f")
        try rig.volume.setUserAttribute("canary", to: Array("canary".utf8), of: "f")
        let entry = try #require(
            try rig.store.root.list().first { $0.kind == .regular && !$0.name.hasPrefix(".") })
        let host = try rig.store.root.openFile(entry.name, writable: true).userAttributes
        let name = try #require(try host.names().first { !$0.hasPrefix("user.seal.") })
        #expect(!name.contains("canary"))
        var value = try #require(try host.value(of: name))
        #expect(!String(decoding: value, as: UTF8.self).contains("canary"))
        value[value.count - 1] ^= 1
        try host.set(name, to: value, rule: .set)
        #expect(refusal { _ = try rig.volume.userAttribute("canary", of: "f") } == .damaged)
        try host.set(name, to: [1, 2, 3], rule: .set)
        #expect(refusal { _ = try rig.volume.userAttribute("canary", of: "f") } == .damaged)
        // What somebody put on the host is none of the volume's.
        try host.set("user.foreign", to: [1], rule: .set)
        #expect(try rig.volume.userAttributeNames(of: "f") == ["canary"])
        try rig.volume.removeUserAttribute("canary", of: "f")
        #expect(try rig.volume.userAttributeNames(of: "f") == [])
    }
}
