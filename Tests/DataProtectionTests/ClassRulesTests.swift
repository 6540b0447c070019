import DataProtection
import Foundation
import Testing

/// By which rule a new file gets its class: the table of docs/classes.md.
@Suite struct `The class of a new file` {
    private static let a = ProtectionClass.complete
    private static let b = ProtectionClass.completeUnlessOpen
    private static let c = ProtectionClass.completeUntilFirstUserAuthentication
    private static let d = ProtectionClass.none

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var explicit, replaced, remembered, companion, folder: ProtectionClass?
        var isSharedMemory = false
        let safer, apple: ProtectionClass
    }

    private static let cases = [
        Case(testDescription: "nobody speaks", safer: c, apple: c),
        Case(testDescription: "the folder", folder: a, safer: a, apple: a),
        Case(testDescription: "a weak folder", folder: d, safer: d, apple: d),
        Case(testDescription: "explicit", explicit: a, folder: d, safer: a, apple: a),
        Case(
            testDescription: "explicit and weaker than all", explicit: d, replaced: a,
            remembered: a, companion: a, folder: a, safer: d, apple: d),
        Case(testDescription: "replaced", replaced: a, folder: c, safer: a, apple: c),
        Case(testDescription: "replaced is weaker", replaced: d, folder: b, safer: b, apple: b),
        Case(testDescription: "replaced, no folder", replaced: d, safer: c, apple: c),
        Case(testDescription: "remembered", remembered: b, folder: c, safer: b, apple: c),
        Case(testDescription: "remembered is weaker", remembered: d, folder: c, safer: c, apple: c),
        Case(
            testDescription: "replaced before remembered", replaced: b, remembered: a, folder: c,
            safer: b, apple: c),
        Case(testDescription: "companion", companion: a, folder: c, safer: a, apple: c),
        Case(testDescription: "a weak companion", companion: d, folder: a, safer: d, apple: a),
        Case(
            testDescription: "remembered before companion", remembered: c, companion: a, folder: d,
            safer: c, apple: d),
        Case(
            testDescription: "shared memory in a strong folder", folder: a, isSharedMemory: true,
            safer: c, apple: a),
        Case(
            testDescription: "shared memory in a weak folder", folder: d, isSharedMemory: true,
            safer: d, apple: d),
        Case(
            testDescription: "shared memory, remembered", remembered: a, folder: a,
            isSharedMemory: true, safer: c, apple: a),
        Case(
            testDescription: "shared memory, explicit", explicit: a, folder: d,
            isSharedMemory: true, safer: a, apple: a),
    ]

    @Test(arguments: cases) func `is decided by the first who speaks`(testCase: Case) {
        var context = NewFileContext(volume: Self.c)
        context.explicit = testCase.explicit
        context.replaced = testCase.replaced
        context.remembered = testCase.remembered
        context.companion = testCase.companion
        context.folder = testCase.folder
        context.isSharedMemory = testCase.isSharedMemory
        #expect(RuleSet.safer.classOfNewFile(in: context) == testCase.safer)
        #expect(RuleSet.apple.classOfNewFile(in: context) == testCase.apple)
    }

    @Test func `after a rename over another file is the stronger, or the source's`() {
        for replaced in ProtectionClass.allCases {
            for source in ProtectionClass.allCases {
                let stronger = replaced.rawValue < source.rawValue ? replaced : source
                #expect(RuleSet.safer.classAfterReplacing(replaced, with: source) == stronger)
                #expect(RuleSet.apple.classAfterReplacing(replaced, with: source) == source)
            }
        }
    }

    @Test(arguments: [
        ("x-wal", "x"), ("x-journal", "x"), ("x~", "x"), (".x.swp", "x"), (".x.swo", "x"),
        (".x.swx", "x"), (".#x", "x"), ("a.db-wal", "a.db"), (".notes.txt.swp", "notes.txt"),
        ("ü~", "ü"), ("x-shm", nil), ("-wal", nil), ("~", nil), (".swp", nil), ("..swp", nil),
        (".#", nil), ("x", nil), ("x.wal", nil), ("x.swp", nil), (".goutputstream-4XU2Z1", nil),
        ("x-WAL", nil), ("wal", nil),
    ])
    func `follows its companion's name`(name: String, owner: String?) {
        #expect(CompanionNames.standard.owner(of: name) == owner)
    }

    @Test(arguments: [("x-shm", true), ("-shm", false), ("shm", false), ("x-shm~", false)])
    func `knows shared memory by its name`(name: String, isSharedMemory: Bool) {
        #expect(CompanionNames.isSharedMemory(name) == isSharedMemory)
    }

    @Test func `is documented in the order in which the code asks`() throws {
        let page = try String(
            contentsOf: Repository.file("docs/classes.md"), encoding: .utf8)
        let list = try #require(
            page.split(separator: "<!-- list: ClassSource -->\n").last?
                .split(separator: "<!-- end -->").first)
        let expected = ClassSource.allCases.enumerated().map { index, source in
            let rules = source.ruleSets == RuleSet.allCases ? "" : " (`safer`)"
            let stop = rules.isEmpty ? ".**" : "**"
            let end = rules.isEmpty ? "" : "."
            return "\(index + 1). **\(source.rawValue)\(stop)\(rules)\(end) \(source.sentence)\n"
        }
        #expect(String(list) == expected.joined())
    }
}

/// The files of this repository that tests read.
enum Repository {
    /// A file or folder, by its path from the top.
    static func file(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: path)
    }
}
