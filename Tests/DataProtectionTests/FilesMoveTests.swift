import DataProtection
import Foundation
import TestSupport
import Testing

/// Moving, linking and replacing.
@Suite(.bothDoors) struct `A file that is moved` {
    @Test(arguments: TruthRow.states) func `keeps its class in every state`(state: LockState) throws
    {
        for rules in RuleSet.allCases {
            let rig = try VolumeRig(rules: rules)
            for folder in ProtectionClass.allCases {
                try rig.volume.makeFolder(folder.name, class: folder)
                for source in ProtectionClass.allCases {
                    try rig.make("\(folder.name)-\(source.name)", [1], source)
                }
            }
            try rig.enter(state)
            for folder in ProtectionClass.allCases {
                for source in ProtectionClass.allCases {
                    let target = folder.name + "/" + source.name
                    try rig.files.moveItem(
                        at: rig.url("\(folder.name)-\(source.name)"), to: rig.url(target))
                    #expect(try rig.volume.protectionClass(of: target) == source)
                    try rig.files.linkItem(atPath: target, toPath: target + "-2")
                    #expect(try rig.volume.protectionClass(of: target + "-2") == source)
                }
            }
            try rig.files.moveItem(atPath: "none", toPath: "moved")
            #expect(try rig.volume.list("moved").count == 8)
        }
    }

    @Test func `overwrites nothing`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d")
        for name in ["a", "b", "d/c"] { try rig.make(name, Array(name.utf8)) }
        try rig.volume.makeSymbolicLink("dangling", target: "nowhere")
        for (source, target, code) in [
            ("a", "b", 516), ("a", "a", 516), ("a", "d", 516), ("d", "a", 516),
            ("a", "dangling", 516), ("missing", "x", 260), ("a", "missing/x", 4),
            ("d", "d/in", 512), ("a", "b/x", 512),
        ] {
            let moved = cocoaCode { try rig.files.moveItem(atPath: source, toPath: target) }
            #expect(moved == code, "\(source) to \(target)")
            if source == "d" { continue }
            let linked = cocoaCode { try rig.files.linkItem(atPath: source, toPath: target) }
            #expect(linked == code, "\(source) to \(target)")
        }
        #expect(cocoaCode { try rig.files.linkItem(atPath: "d", toPath: "e") } == 512)
        for name in ["a", "b", "d/c"] { #expect(try rig.volume.read(name) == Array(name.utf8)) }
    }

    @Test func `can be a link, which leads where it was told to`() throws {
        let rig = try VolumeRig()
        let files = rig.files
        try rig.volume.makeFolder("d")
        try rig.make("d/f", [7], .complete)
        try files.createSymbolicLink(at: rig.url("one"), withDestinationURL: rig.url("d/f"))
        try files.createSymbolicLink(atPath: "two", withDestinationPath: "d/../d/f")
        try files.createSymbolicLink(
            atPath: "d/three", withDestinationPath: rig.url("x/../d/f").path)
        try files.createSymbolicLink(atPath: "top", withDestinationPath: files.rootURL.path)
        for link in ["one", "two", "d/three", "top/d/f"] {
            #expect(try files.contents(atPath: link) == Data([7]))
        }
        #expect(try files.destinationOfSymbolicLink(atPath: "one") == rig.url("d/f").path)
        #expect(try files.destinationOfSymbolicLink(atPath: "two") == "d/../d/f")
        #expect(try files.destinationOfSymbolicLink(atPath: "d/three") == rig.url("d/f").path)
        #expect(try files.destinationOfSymbolicLink(atPath: "top") == files.rootURL.path)
        try files.moveItem(atPath: "one", toPath: "d/moved")
        #expect(try files.contents(atPath: "d/moved") == Data([7]))
        #expect(cocoaCode { _ = try files.destinationOfSymbolicLink(atPath: "d/f") } == 256)
        #expect(cocoaCode { _ = try files.destinationOfSymbolicLink(atPath: "x") } == 260)
        for target in ["/etc/passwd", "/"] {
            #expect(
                cocoaCode { try files.createSymbolicLink(atPath: "x", withDestinationPath: target) }
                    == 514)
        }
        #expect(
            cocoaCode { try files.createSymbolicLink(atPath: "two", withDestinationPath: "d") }
                == 516)
        rig.volume.lock()
        #expect(fileRefusal { _ = try files.contents(atPath: "two") } == .sealed)
        #expect(try files.destinationOfSymbolicLink(atPath: "two") == "d/../d/f")
    }
}

/// `replaceItemAt`.
@Suite struct `An item that is replaced` {
    @Test(arguments: RuleSet.allCases) func `has the stronger class`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        for old in ProtectionClass.allCases {
            for new in ProtectionClass.allCases {
                try rig.make("old", [1], old)
                try rig.make("new", [2], new)
                let result = try rig.files.replaceItemAt(
                    rig.url("old"), withItemAt: rig.url("new"))
                #expect(result == rig.url("old"))
                #expect(try rig.volume.read("old") == [2])
                #expect(
                    try rig.volume.protectionClass(of: "old")
                        == (old.isStricter(than: new) ? old : new))
                #expect(try rig.volume.list().map(\.name) == ["old"])
                try rig.volume.makeFolder("old folder", class: old)
                try rig.make("old folder/a", [1])
                try rig.volume.makeFolder("new folder", class: new)
                try rig.make("new folder/b", [2], new)
                try rig.files.replaceItemAt(
                    rig.url("old folder"), withItemAt: rig.url("new folder"))
                #expect(try rig.volume.list("old folder").map(\.name) == ["b"])
                #expect(try rig.volume.protectionClass(of: "old folder/b") == new)
                #expect(
                    try rig.volume.protectionClass(of: "old folder")
                        == (old.isStricter(than: new) ? old : new))
                #expect(try !rig.files.fileExists(atPath: "new folder"))
                try rig.files.removeItem(atPath: "old folder")
            }
        }
    }

    @Test(arguments: RuleSet.allCases)
    func `stays as it was when the class cannot be had`(rules: RuleSet) throws {
        let rig = try VolumeRig(rules: rules)
        try rig.make("old", [1], .complete)
        try rig.make("new", [2], ProtectionClass.none)
        try rig.make("sealed", [3], .completeUnlessOpen)
        rig.volume.lock()
        for name in ["new", "sealed"] {
            let outcome = Outcome.ofFiles {
                try rig.files.replaceItemAt(
                    rig.url("old"), withItemAt: rig.url(name), backupItemName: "backup",
                    options: .withoutDeletingBackupItem)
            }
            #expect(outcome == .sealed)
        }
        #expect(
            cocoaCode { try rig.files.replaceItemAt(rig.url("old"), withItemAt: rig.url("new")) }
                == 513)
        // What is sealed can replace what needs nothing of it.
        try rig.make("weak", [4], ProtectionClass.none)
        try rig.files.replaceItemAt(rig.url("weak"), withItemAt: rig.url("sealed"))
        try rig.unlock()
        #expect(try rig.volume.list().map(\.name) == ["new", "old", "weak"])
        #expect(try rig.volume.read("old") == [1])
        #expect(try rig.volume.read("new") == [2])
        #expect(try rig.volume.protectionClass(of: "new") == ProtectionClass.none)
        #expect(try rig.volume.read("weak") == [3])
    }

    @Test func `has the old one's mode and attributes, unless new ones are wanted`() throws {
        let rig = try VolumeRig()
        for isNew in [false, true] {
            try rig.make("old", [1])
            try rig.volume.setAttributes(AttributeChange(mode: 0o604), of: "old")
            try rig.volume.setUserAttribute("tag", to: [1], of: "old")
            try rig.make("new", [2])
            try rig.volume.setUserAttribute("own", to: [2], of: "new")
            try rig.files.replaceItemAt(
                rig.url("old"), withItemAt: rig.url("new"),
                options: isNew ? .usingNewMetadataOnly : [])
            #expect(try rig.volume.attributes(of: "old").mode == (isNew ? 0o600 : 0o604))
            #expect(try rig.volume.userAttribute("tag", of: "old") == (isNew ? nil : [1]))
            #expect(try rig.volume.userAttribute("own", of: "old") == [2])
            try rig.volume.removeFile("old")
        }
    }

    @Test(arguments: [false, true]) func `leaves a backup that is wanted`(folders: Bool) throws {
        let rig = try VolumeRig()
        func make(_ path: String, _ content: UInt8) throws {
            if folders {
                try rig.volume.makeFolder(path)
                try rig.make(path + "/f", [content])
            } else {
                try rig.make(path, [content])
            }
        }
        func content(_ path: String) throws -> [UInt8] {
            try rig.volume.read(folders ? path + "/f" : path)
        }
        try rig.volume.makeFolder("d")
        try make("d/old", 1)
        try make("new", 2)
        try rig.files.replaceItemAt(
            rig.url("d/old"), withItemAt: rig.url("new"), backupItemName: "backup",
            options: .withoutDeletingBackupItem)
        #expect(try content("d/old") == [2])
        #expect(try content("d/backup") == [1])
        try make("new", 3)
        try rig.files.replaceItemAt(
            rig.url("d/old"), withItemAt: rig.url("new"), backupItemName: "backup",
            options: .withoutDeletingBackupItem)
        #expect(try content("d/backup") == [2], "an older backup is removed")
        try make("new", 4)
        try rig.files.replaceItemAt(
            rig.url("d/old"), withItemAt: rig.url("new"), backupItemName: "backup")
        #expect(try rig.volume.list("d").map(\.name) == ["old"])
        #expect(try content("d/old") == [4])
        try make("new", 5)
        for name in ["old", "", "a/b", "..", "."] {
            #expect(
                cocoaCode {
                    try rig.files.replaceItemAt(
                        rig.url("d/old"), withItemAt: rig.url("new"), backupItemName: name)
                } == 514, "\(name)")
        }
        #expect(try content("d/old") == [4])
        #expect(try content("new") == [5])
    }

    @Test func `and the one that replaces it must exist, and not be the top folder`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1])
        try rig.volume.makeFolder("d")
        for (old, new, code) in [("f", "x", 4), ("x", "f", 4), ("f", "", 512), ("", "f", 512)] {
            #expect(
                cocoaCode { try rig.files.replaceItemAt(rig.url(old), withItemAt: rig.url(new)) }
                    == code)
        }
        let elsewhere = URL(filePath: "/tmp/new")
        #expect(
            fileRefusal { try rig.files.replaceItemAt(rig.url("f"), withItemAt: elsewhere) }
                == .invalidName)
        // A file can take a folder's place, and the other way round.
        try rig.files.replaceItemAt(rig.url("d"), withItemAt: rig.url("f"))
        #expect(try rig.volume.read("d") == [1])
        try rig.volume.makeFolder("e")
        try rig.files.replaceItemAt(rig.url("d"), withItemAt: rig.url("e"))
        #expect(try rig.volume.attributes(of: "d").kind == .folder)
        #expect(try rig.volume.list().map(\.name) == ["d"])
    }
}
