import DataProtection
import Foundation
import TestSupport
import Testing

/// What a policy says, and how it is written down.
@Suite struct PolicyTests {
    private static let patterns: [(pattern: String, path: String, isMeant: Bool)] = [
        ("Captures/**", "Captures/1.jpg", true), ("Captures/**", "Captures/a/b/1.jpg", true),
        ("Captures/**", "captures/1.jpg", false), ("Captures/**", "Other/Captures/1", false),
        ("Captures/*", "Captures/a/1", false), ("Captures/*", "Captures/1", true),
        ("*.pdf", "a.pdf", true), ("*.pdf", "x/y/a.pdf", true), ("*.pdf", "a.pdf/b", false),
        ("*.pdf", ".pdf", true), ("*.pdf", "a.pdfx", false), ("/note", "note", true),
        ("/note", "x/note", false), ("note", "x/note", true), ("a/**/z", "a/z", true),
        ("a/**/z", "a/b/c/z", true), ("a/**/z", "a/b/c/zz", false), ("**/z", "z", true),
        ("**/x/**", "a/x/b", true), ("Groups/*/Inbox/**", "Groups/g/Inbox/1", true),
        ("Groups/*/Inbox/**", "Groups/g/h/Inbox/1", false), ("?at", "cat", true),
        ("?at", "at", false), ("*a*b*", "xxaxxbxx", true), ("*a*b*", "xxbxxaxx", false),
        ("*.{a,b}", "x.a", false), ("é*", "été", true), ("*", "anything", true),
        ("a*/b*", "aa/bb", true), ("a*/b*", "aa/cb", false),
    ]

    @Test(arguments: patterns)
    func `a pattern means the paths that its words say`(
        pattern: String, path: String, isMeant: Bool
    ) throws {
        #expect(try #require(PolicyPattern(pattern)).matches(path) == isMeant)
    }

    @Test func `no pattern takes long, and some are none`() throws {
        let evil = String(repeating: "*a", count: 2000) + "*b"
        #expect(try !#require(PolicyPattern(evil)).matches(String(repeating: "a", count: 5000)))
        let folders = String(repeating: "**/a/", count: 300) + "b"
        let path = String(repeating: "a/", count: 900) + "c"
        #expect(try !#require(PolicyPattern(folders)).matches(path))
        for none in ["", "/", "a//b", "a/", "../a", "./a", "a/."] {
            #expect(PolicyPattern(none) == nil, "\(none)")
        }
    }

    @Test func `a policy is written and read without loss`() throws {
        var policy = ProtectionPolicy.template
        policy.weakerRequests = .raise
        policy.waivers = [
            PolicyWaiver(
                pattern: try #require(PolicyPattern("Captures/public/**")), class: .none,
                accessNeeded: "the kiosk shows them at once", sensitivityAllows: "they are public",
                tradeOffConsidered: "against waiting for the unlock")
        ]
        #expect(try ProtectionPolicy(json: policy.json) == policy)
    }

    @Test func `the seeds' kinds are in the template, each with its class`() throws {
        let expected: [String: ProtectionClass] = [
            "Documents/Health/a": .complete, "Documents/Finance/a": .complete,
            "Documents/Notes/a": .complete, "Groups/g/Inbox/a": .complete,
            "Captures/a": .completeUnlessOpen, "Downloads/film.mp4": .completeUnlessOpen,
            "Library/Application Support/app.sqlite": .completeUntilFirstUserAuthentication,
            "Library/Images/1.png": .completeUntilFirstUserAuthentication,
            "Library/Caches/1": .completeUntilFirstUserAuthentication,
            "tmp/1": .completeUntilFirstUserAuthentication, "Outbox/0/1-10": .complete,
        ]
        for (path, protectionClass) in expected {
            let kind = try #require(ProtectionPolicy.template.kind(at: path), "\(path)")
            #expect(kind.protectionClass == protectionClass, "\(path)")
        }
        #expect(ProtectionPolicy.template.kind(at: "Outbox/log") == nil)
        #expect(ProtectionPolicy.template.kind(at: "readme.txt") == nil)
    }

    private static let faults: [(change: String, by: String, says: String)] = [
        ("\"version\" : 1", "\"version\" : 2", "version 2"),
        ("\"version\" : 1", "\"version\" : \"1\"", "version: it is no Int"),
        ("\"patterns\"", "\"patern\"", "patterns: it is missing"),
        ("\"name\" : \"capture\"", "\"name\" : \"capture\", \"colour\" : 1", "colour"),
        ("\"name\" : \"capture\"", "\"name\" : \"note\"", "'note'"),
        ("\"class\" : \"completeUnlessOpen\"", "\"class\" : \"strong\"", "'strong' is no class"),
        ("\"Captures/**\"", "\"Captures//**\"", "no pattern"),
        ("\"weakerRequests\" : \"refuse\"", "\"weakerRequests\" : \"allow\"", "weakerRequests"),
        ("{", "", ""),
    ]

    @Test(arguments: faults)
    func `what is wrong with a policy is said, with its place`(
        change: String, by: String, says: String
    ) throws {
        let text = String(decoding: ProtectionPolicy.template.json, as: UTF8.self)
        let range = try #require(text.range(of: change))
        let broken = text.replacingCharacters(in: range, with: by)
        let error = #expect(throws: ProtectionError.self) {
            try ProtectionPolicy(json: Array(broken.utf8))
        }
        #expect(error?.code == (says == "version 2" ? .newerFormat : .damaged))
        #expect(says.isEmpty || error?.message.contains(says) == true, "\(error?.message ?? "")")
    }

    @Test func `a waiver answers its three questions or is none`() throws {
        let json = """
            {"version": 1, "weakerRequests": "refuse", "kinds": [], "waivers": [{"pattern": "a",
            "class": "none", "accessNeeded": "yes", "sensitivityAllows": "",
            "tradeOffConsidered": "yes"}]}
            """
        let error = #expect(throws: ProtectionError.self) {
            try ProtectionPolicy(json: Array(json.utf8))
        }
        #expect(error?.message.contains("three questions") == true)
    }
}
