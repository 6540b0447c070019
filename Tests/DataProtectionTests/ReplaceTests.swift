import DataProtection
import Testing

/// Writing a file whole: it is the old one or the new one.
@Suite struct `A file that is replaced` {
    private func hostNames(_ rig: VolumeRig) throws -> [String] {
        try rig.store.root.list().map(\.name).filter { $0 != ".lock" }.sorted()
    }

    @Test(arguments: RigStore.allCases)
    func `is the old one until the new one is whole`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1], to: "f", class: .complete)
        let old = try rig.volume.openFile("f")
        let names = try hostNames(rig)
        #expect(
            refusal {
                try rig.volume.replaceFile("f") { (file) throws(ProtectionError) in
                    try file.write(pattern(20_000), at: 0)
                    throw .invalidArgument("the caller gave up")
                }
            } == .invalidArgument)
        #expect(try hostNames(rig) == names)
        #expect(try rig.volume.read("f") == [1])
        let volume = rig.volume
        try volume.replaceFile("f") { (file) throws(ProtectionError) in
            try file.write(pattern(20_000), at: 0)
            let seen = try volume.read("f")
            #expect(seen == [1])
        }
        #expect(try volume.read("f") == pattern(20_000))
        #expect(try old.read(at: 0, count: 9) == [1])
        #expect(try volume.protectionClass(of: "f") == .complete)
        #expect(try hostNames(rig).count == names.count)
    }

    @Test func `keeps its old content when a lock comes before the end`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: .complete)
        let names = try hostNames(rig)
        let volume = rig.volume
        let code = refusal {
            try volume.replaceFile("f") { (file) throws(ProtectionError) in
                try file.write([2], at: 0)
                volume.lock()
                try file.write([3], at: 1)
            }
        }
        #expect(code == .sealed)
        #expect(try hostNames(rig) == names)
        try rig.unlock()
        #expect(try volume.read("f") == [1])
        // A class that may be made while locked goes through.
        try volume.replaceFile("g", class: .completeUnlessOpen) { (file) throws(ProtectionError) in
            try file.write([2], at: 0)
            volume.lock()
            try file.write([3], at: 1)
        }
        #expect(refusal { _ = try volume.read("g") } == .sealed)
        try rig.unlock()
        #expect(try volume.read("g") == [2, 3])
    }

    @Test func `needs a folder, and is no folder`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d")
        let names = try hostNames(rig)
        #expect(refusal { try rig.volume.write([1], to: "d") } == .isFolder)
        #expect(refusal { try rig.volume.write([1], to: "nowhere/f") } == .missing)
        #expect(refusal { try rig.volume.write([1], to: "/") } == .isFolder)
        #expect(try hostNames(rig) == names)
    }

    @Test func `is not taken for a free name when the host does not tell`() throws {
        let isBroken = Flag()
        var options = MemoryStore.Options()
        options.onCall = { call throws(HostError) in
            if isBroken.isUp, call.operation == .attributesOfEntry, !call.name.hasPrefix(".new-") {
                throw HostError(code: HostError.inputOutput, call: "fstatat")
            }
        }
        let rig = try VolumeRig(options: options)
        try rig.volume.write([1], to: "f", class: .complete)
        try rig.volume.write([2], to: "g", class: ProtectionClass.none)
        isBroken.raise()
        let calls: [() throws -> Void] = [
            { try rig.volume.write([3], to: "f") }, { try rig.volume.rename("g", to: "f") },
            { _ = try rig.volume.openFile("f", [.write, .create, .exclusive]) },
            { try rig.volume.makeFolder("f") }, { try rig.volume.link("g", to: "f") },
            { try rig.volume.makeSymbolicLink("f", target: "g") },
        ]
        for call in calls { #expect(refusal(call) == .host) }
        isBroken.lower()
        #expect(try rig.volume.read("f") == [1])
        #expect(try rig.volume.protectionClass(of: "f") == .complete)
        #expect(try rig.volume.list().map(\.name) == ["f", "g"])
    }
}
