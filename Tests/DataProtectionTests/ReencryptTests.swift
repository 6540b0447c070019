import DataProtection
import SimulatedDevice
import Testing

@Suite struct `A file that is written afresh` {
    private static let classes: [(ProtectionClass, ProtectionClass?)] = [
        (.none, .complete), (.complete, ProtectionClass.none), (.completeUnlessOpen, .complete),
        (.completeUntilFirstUserAuthentication, nil), (.complete, .completeUnlessOpen),
    ]

    /// Where pages, chunks and holes begin and end.
    private static let sizes = [0, 1, 3540, 3541, 7592, 64 * 4052 + 3540, 700_000]

    @Test(arguments: RigStore.allCases)
    func `keeps everything but its key and inode number`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let volume = rig.volume
        for (index, (before, after)) in Self.classes.enumerated() {
            let path = "f\(index)"
            let content = pattern(Self.sizes[index], seed: UInt64(index))
            try volume.write(content, to: path, class: before, mode: [0o640, 0o040][index % 2])
            try volume.setUserAttribute("colour", to: Array("red".utf8), of: path)
            var change = AttributeChange()
            change.accessTime = .time(FileTime(seconds: 1_000_000, nanoseconds: 1))
            change.modificationTime = .time(FileTime(seconds: 2_000_000, nanoseconds: 999_999_999))
            try volume.setAttributes(change, of: path)
            let old = try volume.attributes(of: path)
            let header = try rig.bytes(of: path, 0..<512)
            try volume.reencrypt(path, class: after)
            let new = try volume.attributes(of: path)
            #expect(new.protectionClass == after ?? before)
            #expect((new.mode, new.owner, new.group) == (old.mode, old.owner, old.group))
            #expect(new.modificationTime == old.modificationTime)
            #expect(new.accessTime == old.accessTime)
            #expect(new.size == old.size && new.linkCount == 1 && new.identity != old.identity)
            #expect(try volume.userAttribute("colour", of: path) == Array("red".utf8))
            // File id and wrapped key are others.
            #expect(try rig.bytes(of: path, 32..<152) != Array(header[32..<152]))
            try volume.setAttributes(AttributeChange(mode: 0o600), of: path)
            #expect(try volume.read(path) == content)
        }
        let leftovers = try rig.store.root.list().filter { $0.name.hasPrefix(".new-") }
        #expect(leftovers.isEmpty)
        try rig.reopen()
        #expect(try rig.volume.verify().isWhole)
    }

    @Test(arguments: RigStore.allCases, sizes)
    func `has every byte of every size`(store: RigStore, size: Int) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write(pattern(size), to: "f")
        var byteCount: Int64 = 0
        try rig.volume.reencrypt("f") { byteCount += $0 }
        #expect(try rig.volume.read("f") == pattern(size) && byteCount == size)
    }

    @Test(arguments: RigStore.allCases) func `keeps its holes`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let file = try rig.volume.openFile("f", [.readWrite, .create])
        try file.write([1], at: 0)
        try file.write(pattern(10_000), at: 30_000_000)
        try file.truncate(to: 1 << 30)
        file.close()
        let old = try rig.volume.attributes(of: "f")
        try rig.volume.reencrypt("f", class: .complete)
        let new = try rig.volume.attributes(of: "f")
        #expect(new.size == 1 << 30)
        #expect(new.allocatedByteCount <= old.allocatedByteCount + 1 << 17)
        let again = try rig.volume.openFile("f")
        #expect(try again.read(at: 30_000_000, count: 10_000) == pattern(10_000))
        #expect(try again.read(at: 29_999_000, count: 1000).allSatisfy { $0 == 0 })
        #expect(try again.nextData(from: 31_000_000)! > 900_000_000)
    }

    @Test func `is not opened by a copy of its old header, as after a change of class`() throws {
        for isAfresh in [false, true] {
            let rig = try VolumeRig()
            try rig.volume.write(pattern(9000), to: "f", class: ProtectionClass.none)
            let header = try rig.bytes(of: "f", 0..<4096)
            if isAfresh {
                try rig.volume.reencrypt("f", class: .complete)
            } else {
                try rig.volume.setProtectionClass(.complete, of: "f")
            }
            let file = try rig.volume.openFile("f", .readWrite)
            try file.write(Array("secret".utf8), at: 4000)
            file.close()
            // A thief who has the device key, and page 0 as it was in a snapshot.
            try rig.reboot()
            #expect(refusal { _ = try rig.volume.read("f") } == .sealed)
            try rig.file("f").write(header.span, at: 0)
            let stolen = try? rig.volume.openFile("f").read(at: 4000, count: 6)
            #expect(stolen == (isAfresh ? nil : Array("secret".utf8)))
        }
    }

    @Test(arguments: RigStore.allCases)
    func `is refused, and left as it was, where it would lose something`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let volume = rig.volume
        try volume.write([1], to: "f", class: .complete)
        try volume.makeFolder("d")
        try volume.makeNode("pipe", .fifo, mode: 0o600)
        #expect(refusal { try volume.reencrypt("d") } == .isFolder)
        #expect(refusal { try volume.reencrypt("") } == .isFolder)
        #expect(refusal { try volume.reencrypt("pipe") } == .notSupported)
        #expect(refusal { try volume.reencrypt("nothing") } == .missing)
        try volume.link("f", to: "g")
        #expect(refusal { try volume.reencrypt("f") } == .notSupported)
        try volume.removeFile("g")
        let handle = try volume.openFile("f")
        #expect(refusal { try volume.reencrypt("f") } == .busy)
        handle.close()
        volume.lock()
        #expect(refusal { try volume.reencrypt("f", class: ProtectionClass.none) } == .sealed)
        try rig.unlock()
        try rig.changeHeader("f", at: 176)
        #expect(refusal { try volume.reencrypt("f") } == .damaged)
        try rig.changeHeader("f", at: 176)
        #expect(try volume.read("f") == [1])
        #expect(try rig.store.root.list().allSatisfy { !$0.name.hasPrefix(".new-") })
    }

    @Test func `gives way to whoever has to do with it meanwhile`() throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        let content = pattern(700_000)
        let interruptions: [(ProtectionError.Code, path: String, act: () throws -> Void)] = [
            (.busy, "f", { try volume.openFile("f").close() }),
            (
                .busy, "f",
                {
                    let file = try volume.openFile("f", .write)
                    try file.write([content[0]], at: 0)
                    file.close()
                }
            ),
            (.busy, "f", { try volume.setProtectionClass(.completeUnlessOpen, of: "f") }),
            (.busy, "f", { try volume.link("f", to: "g") }),
            (.missing, "h", { try volume.rename("f", to: "h") }),
            (.sealed, "f", { volume.lock() }),
        ]
        for (code, path, act) in interruptions {
            try volume.write(content, to: "f", class: .complete)
            var isDone = false
            let found = refusal {
                try volume.reencrypt("f") { _ in
                    guard !isDone else { return }
                    isDone = true
                    do { try act() } catch { Issue.record(error) }
                }
            }
            #expect(found == code)
            try rig.unlock()
            #expect(try volume.read(path) == content)
            #expect(try rig.store.root.list().allSatisfy { !$0.name.hasPrefix(".new-") })
            for name in try volume.list().map(\.name) { try volume.removeFile(name) }
        }
    }

    @Test func `has the attributes that were set while it was written`() throws {
        let rig = try VolumeRig()
        let volume = rig.volume
        try volume.write(pattern(700_000), to: "f", mode: 0o644)
        try volume.reencrypt("f") { _ in
            var change = AttributeChange(mode: 0o040)
            change.modificationTime = .time(FileTime(seconds: 77))
            do {
                try volume.setAttributes(change, of: "f")
                try volume.setUserAttribute("late", to: [1], of: "f")
            } catch { Issue.record(error) }
        }
        let attributes = try volume.attributes(of: "f")
        #expect(attributes.mode == 0o040 && attributes.damage == nil)
        #expect(attributes.modificationTime == FileTime(seconds: 77))
        #expect(try volume.userAttribute("late", of: "f") == [1])
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `is the old one or the new one after a cut at any operation`(rule: CommitRule) throws {
        let device = try DeviceKey.inMemory()
        let store = CrashingStore(commitRule: rule)
        let made = try ProtectedVolume.create(
            in: store, configuration: VolumeConfiguration(passcodeCost: .cheap), passcode: nil,
            deviceKey: device)
        let content = pattern(20_000)
        try made.write(content, to: "f", class: ProtectionClass.none, mode: 0o640)
        try made.setUserAttribute("colour", to: [1], of: "f")
        try made.close()
        let volume = try ProtectedVolume.open(store, deviceKey: device)
        let first = store.operationCount
        try volume.reencrypt("f", class: .complete)
        let last = store.operationCount
        #expect(last > first + 5)
        for operation in first...last {
            let outcomes =
                [.nothingUnsynced, .everything] + (0..<20).map { CutOutcome.random(seed: $0) }
            for outcome in outcomes {
                let left = store.cut(outcome, afterOperation: operation)
                let found = try ProtectedVolume.open(left, deviceKey: device)
                let place: Comment = "after operation \(operation), \(outcome)"
                #expect(try found.read("f") == content, place)
                let attributes = try found.attributes(of: "f")
                #expect(attributes.mode == 0o640, place)
                #expect(try found.userAttribute("colour", of: "f") == [1], place)
                let isNew = attributes.protectionClass == .complete
                #expect(
                    isNew
                        || (attributes.protectionClass == ProtectionClass.none && operation < last),
                    place)
                #expect(try found.verify(repair: true).isWhole, place)
                #expect(try left.root.list().allSatisfy { !$0.name.hasPrefix(".new-") }, place)
                try found.close()
            }
        }
        try volume.close()
    }
}

extension VolumeRig {
    /// Bytes of a host file.
    func bytes(of path: String, _ range: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var span = bytes.mutableSpan
        _ = try file(path).read(into: &span, at: Int64(range.lowerBound))
        return bytes
    }
}
