import Cryptography
import DataProtection
import Testing

/// One thing that a volume holds, how it is damaged behind the volume's back, and what is said.
struct DamagedThing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The path that verify names.
    let path: String
    /// What it says of it.
    let finding: VerifiedItem.Finding
    /// Does the damage.
    let damage: @Sendable (VolumeRig) throws -> Void

    init(
        _ title: String, _ path: String, _ finding: VerifiedItem.Finding,
        damage: @escaping @Sendable (VolumeRig) throws -> Void
    ) {
        testDescription = title
        self.path = path
        self.finding = finding
        self.damage = damage
    }

    static let long = String(repeating: "l", count: 200)

    static let all = [
        DamagedThing("a page", "d/f", .damaged("page 2 is damaged")) { rig in
            try rig.flip("d/f", at: 2 * 4096 + 100)
        },
        DamagedThing("the last page", "d/f", .damaged("the file was cut: its last page is missing"))
        {
            try $0.file("d/f").truncate(to: 8192)
        },
        DamagedThing("a header", "d/f", .damaged("the header is damaged")) {
            try $0.flip("d/f", at: 60)
        },
        DamagedThing(
            "a kept mode", "d/f", .damaged("the kept mode is not the one that was written")
        ) { try $0.changeHeader("d/f", at: 176) },
        DamagedThing("the flags", "d/f", .damaged("the header is not the one that was written")) {
            try $0.changeHeader("d/f", at: 156)
        },
        DamagedThing(
            "an attribute's value", "d/f", .damaged("the attribute is damaged")
        ) { try $0.changeAttribute("d/f") { ($0, $1.dropLast() + [$1.last! ^ 1]) } },
        DamagedThing(
            "an attribute's name", "d/f", .damaged("the name of an attribute is damaged")
        ) { try $0.changeAttribute("d/f") { ($0.withAnotherEnd, $1) } },
        DamagedThing(
            "an attribute of a folder", "d", .damaged("the attribute is damaged")
        ) { try $0.changeAttribute("d") { ($0, $1.dropLast() + [$1.last! ^ 1]) } },
        DamagedThing(
            "a symbolic link", "link", .damaged("the target of the symbolic link is damaged")
        ) { rig in
            let (folder, name) = try rig.hostPlace(of: "link")
            let target = try folder.readSymlink(name)
            try folder.removeFile(name)
            try folder.makeSymlink(name, target: target.withAnotherEnd)
        },
        DamagedThing(
            "the name of a fifo", "damaged:", .damaged("its name is damaged")
        ) { rig in
            let (folder, name) = try rig.hostPlace(of: "pipe")
            let other = name.hasPrefix("A") ? "B" : "A"
            try folder.rename(name, to: folder, as: other + name.dropFirst(), rule: .exclusive)
        },
        DamagedThing(
            "the link of a long name", "damaged:.long-", .damaged("its name is damaged")
        ) { rig in
            let (folder, name) = try rig.hostPlace(of: long)
            try folder.removeFile(".name-" + name.dropFirst(".long-".count))
        },
        DamagedThing(
            "a file with a long name", long,
            .damaged("only its long name is here, the file or folder itself is missing")
        ) { rig in
            let (folder, name) = try rig.hostPlace(of: long)
            try folder.removeFile(name)
        },
        DamagedThing(
            "an empty folder's record", "empty",
            .damaged("the symbolic link .folder is damaged, so the names in the folder are lost")
        ) { rig in
            let (folder, name) = try rig.hostPlace(of: "empty")
            let inner = try folder.openFolder(name)
            let target = try inner.readSymlink(".folder")
            try inner.removeFile(".folder")
            try inner.makeSymlink(".folder", target: target.withAnotherEnd)
        },
        DamagedThing("the marker", ".marker", .damaged(".marker is missing or damaged")) {
            try $0.store.root.removeFile(".marker")
        },
    ]
}

extension String {
    /// The same coded bytes but for the last ones, whatever those are.
    fileprivate var withAnotherEnd: String { dropLast(2) + (hasSuffix("AA") ? "BA" : "AA") }
}

@Suite struct `Verifying each kind of thing` {
    @Test func `finds a whole volume whole, and reads a file with two names once`() throws {
        let rig = try VolumeRig.withEverything()
        try rig.reopen()
        var items: [VerifiedItem] = []
        var byteCount: Int64 = 0
        let report = try rig.volume.verify {
            items.append($0)
        } reading: {
            byteCount += $0
        }
        #expect(report.isWhole && report.endsClean)
        let paths = ["d", "d/f", "empty", "g", "link", DamagedThing.long, "pipe"]
        #expect(items.map(\.path).sorted() == paths)
        #expect(items.allSatisfy { $0.finding == .whole && $0.remedy.isEmpty })
        #expect(report.wholeCount == 7 && report.fileCount == 2 && report.folderCount == 2)
        #expect(report.byteCount == 20_001 && byteCount == 20_001)
        #expect(try rig.volume.hostExtent() == (7, 7 * 4096))
    }

    @Test(arguments: DamagedThing.all) func `names what is damaged`(thing: DamagedThing) throws {
        let rig = try VolumeRig.withEverything()
        try rig.reboot()
        try thing.damage(rig)
        try rig.reboot()
        try rig.unlock()
        var items: [VerifiedItem] = []
        let report = try rig.volume.verify { items.append($0) }
        let found = items.filter { $0.finding != .whole }
        // The second name of the file is another entry that is damaged.
        let other = thing.path == "d/f" ? 1 : 0
        #expect(found.count == 1 + other, "\(found)")
        #expect(report.damagedCount == 1 + other && !report.isWhole)
        let item = try #require(found.first { $0.path.hasPrefix(thing.path) })
        #expect(item.finding == thing.finding)
        #expect(!item.remedy.isEmpty)
    }

    @Test(arguments: [LockState.beforeFirstUnlock, .locked])
    func `says what it cannot see without the keys`(state: LockState) throws {
        let rig = try VolumeRig.withEverything()
        try rig.volume.write([1], to: "open", class: ProtectionClass.none)
        try rig.enter(state)
        var items: [VerifiedItem] = []
        let report = try rig.volume.verify { items.append($0) }
        let sealed = items.filter { $0.finding == .sealed }.map(\.path).sorted()
        let long = state == .locked ? [] : [DamagedThing.long]
        #expect(sealed == ["d/f", "g"] + long)
        #expect(report.sealedCount == sealed.count && report.damagedCount == 0 && !report.isWhole)
        #expect(report.fileCount == (state == .locked ? 2 : 1))
    }

    @Test func `finds what is wrong with a sealed file's header, mode and attributes`() throws {
        for thing in DamagedThing.all
        where thing.path == "d/f" && !["a page", "the flags"].contains(thing.testDescription) {
            let rig = try VolumeRig.withEverything()
            try thing.damage(rig)
            try rig.reboot()
            var found: [VerifiedItem] = []
            _ = try rig.volume.verify { found.append($0) }
            #expect(found.contains { $0.path == "d/f" && $0.finding == thing.finding })
        }
    }

    @Test func `sees both copies of the keybag and the marker while names are private`() throws {
        let rig = try VolumeRig(hasPrivateNames: true)
        try rig.volume.write([1], to: "f")
        try rig.reboot()
        try rig.store.root.removeFile(".keybag-2")
        try rig.store.root.removeFile(".marker")
        var items: [VerifiedItem] = []
        let report = try rig.volume.verify { items.append($0) }
        #expect(items.map(\.path) == [".keybag-2", ".marker", "/"])
        #expect(report.hasSealedNames && report.damagedCount == 2 && report.sealedCount == 1)
        let repaired = try rig.volume.verify(repair: true)
        #expect(repaired.renewedCount == 2 && repaired.damagedCount == 0 && !repaired.isWhole)
        try rig.reopen()
        #expect(rig.volume.openingNotes.isEmpty)
        #expect(try rig.volume.verify().isWhole)
    }

    @Test func `writes both copies of the keybag anew, but never after an erasure`() throws {
        let rig = try VolumeRig()
        for name in [".keybag-1", ".keybag-2"] { try rig.store.root.removeFile(name) }
        #expect(try rig.volume.verify().damagedCount == 1)
        #expect(try rig.volume.verify(repair: true).renewedCount == 1)
        try rig.reopen()
        try rig.volume.erase()
        _ = try? rig.volume.verify(repair: true)
        #expect((try? rig.store.root.attributes(of: ".keybag-1")) == nil)
        #expect((try? rig.store.root.attributes(of: ".keybag-2")) == nil)
    }

    @Test func `leaves alone what is nothing of the volume's`() throws {
        let rig = try VolumeRig.withEverything()
        let root = rig.store.root
        for name in [".DS_Store", "README.txt", ".keybag-1 (copy)", ".new", "short"] {
            _ = try root.createFile(name, mode: 0o600)
        }
        try root.makeFolder("lost+found", mode: 0o700)
        try root.makeSymlink("desktop.ini", target: "x")
        var items: [VerifiedItem] = []
        let report = try rig.volume.verify(repair: true) { items.append($0) }
        #expect(report.foreignCount == 7 && report.isWhole && report.endsClean)
        let texts = Set(
            items.compactMap { item -> String? in
                if case .foreign(let text) = item.finding { return text }
                return nil
            })
        #expect(texts.count == 2)
        #expect(try root.list().count { !$0.name.hasPrefix(".name-") } >= 7)
        #expect((try? root.attributes(of: "lost+found")) != nil)
    }

    @Test func `removes all that interrupted calls left, nested folders too`() throws {
        let rig = try VolumeRig.withEverything()
        let root = rig.store.root
        _ = try root.createFile(".new-file", mode: 0o600)
        try root.makeFolder(".gone-folder", mode: 0o700)
        let gone = try root.openFolder(".gone-folder")
        try gone.makeSymlink(".folder", target: "x")
        try gone.makeFolder(".new-inner", mode: 0o700)
        try gone.openFolder(".new-inner").makeSymlink(".folder", target: "y")
        #expect(try rig.volume.verify().leftoverCount == 2)
        let report = try rig.volume.verify(repair: true)
        #expect(report.leftoverCount == 2 && report.removedCount == 2)
        #expect(try rig.volume.verify().leftoverCount == 0)
    }
}
