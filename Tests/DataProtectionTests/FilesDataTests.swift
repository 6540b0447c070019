import DataProtection
import Foundation
import TestSupport
import Testing

/// Writing and reading `Data`.
@Suite struct `Data in a volume` {
    private static let options: [ProtectionClass: Data.WritingOptions] = [
        .none: .noFileProtection, .complete: .completeFileProtection,
        .completeUnlessOpen: .completeFileProtectionUnlessOpen,
        .completeUntilFirstUserAuthentication:
            .completeFileProtectionUntilFirstUserAuthentication,
    ]

    @Test(arguments: [0, 1, 3540, 3541, 4096, 7592, 1_000_000])
    func `is what was written`(byteCount: Int) throws {
        let rig = try VolumeRig()
        let data = Data(pattern(byteCount))
        for options: ProtectedWritingOptions in [[], .atomic] {
            for content in [data, Data(pattern(byteCount / 2, seed: 3)), data] {
                try content.write(to: rig.url("f"), options: options, in: rig.files)
                #expect(try Data(contentsOf: rig.url("f"), in: rig.files) == content)
                #expect(try rig.volume.read("f") == [UInt8](content))
            }
        }
        let slice = Data([9, 9] + pattern(byteCount) + [9]).dropFirst(2).dropLast()
        try slice.write(to: rig.url("slice"), in: rig.files)
        #expect(try rig.volume.read("slice") == [UInt8](data))
    }

    @Test func `written over a file keeps its class, unless another is asked for`() throws {
        for rules in RuleSet.allCases {
            let rig = try VolumeRig(rules: rules, defaultClass: .none)
            for present in ProtectionClass.allCases {
                for asked in [nil] + ProtectionClass.allCases {
                    try rig.make("f", pattern(5000), present)
                    let identity = try rig.volume.attributes(of: "f").identity
                    try Data([1]).write(
                        to: rig.url("f"), options: asked.map { Self.options[$0]! } ?? [],
                        in: rig.files)
                    #expect(try rig.volume.protectionClass(of: "f") == asked ?? present)
                    #expect(try rig.volume.read("f") == [1])
                    #expect(try rig.volume.attributes(of: "f").identity == identity)
                    // Atomically it is another file, and the rules decide.
                    try rig.make("f", pattern(5000), present)
                    try Data([2]).write(
                        to: rig.url("f"),
                        options: (asked.map { Self.options[$0]! } ?? []).union(.atomic),
                        in: rig.files)
                    let inherited = rules == .safer ? present : ProtectionClass.none
                    #expect(try rig.volume.protectionClass(of: "f") == asked ?? inherited)
                    #expect(try rig.volume.read("f") == [2])
                }
            }
        }
    }

    @Test func `that is refused leaves the old content`() throws {
        let rig = try VolumeRig()
        for (present, asked) in [
            (ProtectionClass.complete, ProtectionClass?.none), (.complete, .some(.none)),
            (.completeUnlessOpen, .completeUnlessOpen), (.none, .complete),
            (.completeUntilFirstUserAuthentication, .complete),
        ] {
            try rig.make("f", [1, 2, 3], present)
            rig.volume.lock()
            let options = asked.map { Self.options[$0]! } ?? []
            #expect(
                fileRefusal {
                    try Data([9]).write(to: rig.url("f"), options: options, in: rig.files)
                } == .sealed)
            #expect(
                cocoaCode {
                    try Data([9]).write(to: rig.url("f"), options: options, in: rig.files)
                } == 513)
            try rig.unlock()
            #expect(try rig.volume.read("f") == [1, 2, 3])
            #expect(try rig.volume.protectionClass(of: "f") == present)
        }
    }

    @Test func `without overwriting never overwrites`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1])
        try rig.volume.makeFolder("folder")
        try rig.volume.makeSymbolicLink("link", target: "f")
        try rig.volume.makeSymbolicLink("dangling", target: "nowhere")
        for options: ProtectedWritingOptions in [
            .withoutOverwriting, [.withoutOverwriting, .atomic],
            [.withoutOverwriting, .completeFileProtection],
        ] {
            for name in ["f", "folder", "link", "dangling"] {
                #expect(
                    cocoaCode {
                        try Data([2]).write(to: rig.url(name), options: options, in: rig.files)
                    } == 516)
            }
            try Data([3]).write(to: rig.url("new"), options: options, in: rig.files)
            #expect(try rig.volume.read("new") == [3])
            try rig.volume.removeFile("new")
        }
        #expect(try rig.volume.read("f") == [1])
        #expect(
            try rig.volume.list().map(\.name) == ["dangling", "f", "folder", "link"])
    }

    @Test(arguments: [false, true]) func `without overwriting has one winner`(atomic: Bool)
        async throws
    {
        let rig = try VolumeRig()
        let files = rig.files
        let url = rig.url("f")
        let options: Data.WritingOptions =
            atomic ? [.withoutOverwriting, .atomic] : .withoutOverwriting
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let data = Data([UInt8](repeating: UInt8(number), count: 5000))
                    let code = cocoaCode { try data.write(to: url, options: options, in: files) }
                    if let code { #expect(code == 516) }
                    return code == nil ? number : nil
                }
            }
            var winners: [Int] = []
            for await winner in group { if let winner { winners.append(winner) } }
            return winners
        }
        #expect(winners.count == 1)
        let content = try Data(contentsOf: url, in: files)
        #expect(content == Data(repeating: UInt8(winners[0]), count: 5000))
    }

    @Test func `goes through links, and keeps mode and names`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1], .complete)
        try rig.volume.setAttributes(AttributeChange(mode: 0o640), of: "f")
        try rig.volume.setUserAttribute("tag", to: [7], of: "f")
        try rig.volume.makeSymbolicLink("link", target: "f")
        for options: ProtectedWritingOptions in [[], .atomic] {
            try Data([2]).write(to: rig.url("link"), options: options, in: rig.files)
            #expect(try rig.volume.read("f") == [2])
            #expect(try rig.volume.attributes(of: "link").kind == .symlink)
            #expect(try rig.volume.attributes(of: "f").mode == 0o640)
            #expect(try rig.volume.userAttribute("tag", of: "f") == [7])
            #expect(try rig.volume.protectionClass(of: "f") == .complete)
        }
        try rig.volume.makeSymbolicLink("ahead", target: "made/later")
        #expect(
            fileRefusal { try Data([3]).write(to: rig.url("ahead"), in: rig.files) } == .missing)
        try rig.volume.makeFolder("made")
        try Data([3]).write(to: rig.url("ahead"), in: rig.files)
        #expect(try rig.volume.read("made/later") == [3])
        try rig.volume.link("f", to: "other name")
        try Data([4]).write(to: rig.url("f"), in: rig.files)
        #expect(try rig.volume.read("other name") == [4])
    }

    @Test func `says what is in the way`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("folder")
        try rig.make("f", [1])
        for options: ProtectedWritingOptions in [[], .atomic] {
            func code(_ path: String) -> Int? {
                cocoaCode {
                    try Data([1]).write(to: rig.url(path), options: options, in: rig.files)
                }
            }
            #expect(code("folder") == 512)
            #expect(code("missing/f") == 4)
            #expect(code("f/g") == 512)
            #expect(code(String(repeating: "x", count: 256)) == 514)
        }
        #expect(cocoaCode { _ = try Data(contentsOf: rig.url("folder"), in: rig.files) } == 256)
        #expect(cocoaCode { _ = try Data(contentsOf: rig.url("missing"), in: rig.files) } == 260)
        #expect(cocoaCode { _ = try rig.files.contents(atPath: "missing") } == 260)
        let files = rig.files
        try rig.volume.close()
        #expect(fileRefusal { _ = try files.contents(atPath: "f") } == .closed)
    }

    @Test func `on a full disk is the old file or the new one`() throws {
        var options = MemoryStore.Options()
        options.byteLimit = 1 << 20
        let rig = try VolumeRig(options: options)
        try rig.make("f", [1], .complete)
        let large = Data(pattern(2 << 20))
        #expect(
            cocoaCode {
                try large.write(to: rig.url("f"), options: .atomic, in: rig.files)
            } == 640)
        #expect(try rig.volume.read("f") == [1])
        #expect(cocoaCode { try large.write(to: rig.url("new"), in: rig.files) } == 640)
        // A remedy that calls the old content untouched would be wrong here.
        try rig.make("f", [1])
        let error = #expect(throws: CocoaError.self) {
            try large.write(to: rig.url("f"), in: rig.files)
        }
        #expect(error?.protectionError?.remedy.contains("old content is gone") == true)
        #expect(try rig.volume.read("f") != [1])
        #expect(try rig.volume.list().map(\.name) == ["f"], "nothing is left of a new file")
    }
}
