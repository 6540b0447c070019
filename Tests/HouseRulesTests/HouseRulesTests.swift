import Foundation
import Testing

/// The code's own rules (CONTRIBUTING.md), as tests.
@Suite("House rules")
struct HouseRulesTests {
    @Test func `no line has more than 100 columns`() throws {
        for file in try SourceTree.library() + SourceTree.files("Tests", ending: "swift") {
            for (index, line) in file.lines.enumerated() where line.count > 100 {
                Issue.record("\(file.path):\(index + 1) has \(line.count) columns")
            }
        }
    }

    @Test func `no file has more than 250 lines and no function 70`() throws {
        for file in try SourceTree.library() {
            #expect(file.lines.count <= 251, "\(file.path)")
            for function in file.functionLengths where function.count >= 70 {
                Issue.record("\(file.path):\(function.line) has \(function.count) lines")
            }
        }
    }

    @Test func `each C library is imported by its own room alone`() throws {
        let systemd = ["Sources/SessionLock/Calls/", "Sources/ProtectionAgent/Calls/"]
        let rooms = [
            "CCrypto": "Sources/Cryptography/", "CSodium": "Sources/Cryptography/",
            "CLinux": "Sources/DataProtection/Store/", "CSQLite": "Sources/ProtectedDatabase/",
            "CFuse": "Sources/ProtectedMount/",
        ]
        for file in try SourceTree.library() {
            for line in file.lines {
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place + 1 < words.count else {
                    continue
                }
                if words[place + 1] == "CSystemd" {
                    #expect(systemd.contains { file.path.hasPrefix($0) }, "\(file.path)")
                }
                if let room = rooms[String(words[place + 1])] {
                    #expect(file.path.hasPrefix(room), "\(file.path) imports \(words[place + 1])")
                }
            }
        }
    }

    @Test func `Foundation is where its own calls are, and all of it nearly nowhere`() throws {
        for file in try SourceTree.files("Sources", ending: "swift") {
            let imported = Set(
                file.lines.filter { $0.contains("import Foundation") }
                    .compactMap { $0.split(separator: " ").last })
            let allowed: Set<Substring> =
                if file.path.hasPrefix("Sources/DataProtection/Files/")
                    || file.path.hasPrefix("Sources/DataProtection/Outbox/")
                    || file.path.hasPrefix("Sources/DataProtection/Policy/")
                    || file.path.hasPrefix("Sources/DataProtection/Secrets/")
                    || file.path.hasPrefix("Sources/ProtectedDatabase/Connection/")
                    || file.path.hasPrefix("Sources/DataProtectionTesting/")
                    || file.path.hasPrefix("Sources/AgentControl/")
                {
                    ["FoundationEssentials"]
                } else if file.path.hasPrefix("Sources/ProtectedDataNotifications/")
                    || file.path.hasPrefix("Sources/SimulatedDevice/")
                {
                    ["Foundation"]
                } else if file.path.hasPrefix("Sources/seal/") {
                    // All of Foundation costs a command 3 ms at each start.
                    ["FoundationEssentials"]
                } else {
                    []
                }
            #expect(imported.isSubset(of: allowed), "\(file.path)")
        }
    }

    @Test func `the files with unsafe code are those on the list, with no more of it`() throws {
        var census: [String] = []
        for file in try SourceTree.library() {
            let count = file.lines.count { line in
                let code = line.split(separator: " ").prefix { !$0.hasPrefix("//") }
                return code.contains { $0 == "unsafe" || $0.hasSuffix("(unsafe") }
            }
            if count > 0 { census.append("\(count)\t\(file.path)") }
        }
        #expect(census == (try SourceTree.list("Tests/HouseRulesTests/unsafe-census.txt")))
    }

    @Test func `no promise is left in the code`() throws {
        let words = ["TO" + "DO", "FIX" + "ME", "not " + "implemented", "for " + "now"]
        for file in try SourceTree.library() {
            for (index, line) in file.lines.enumerated() {
                for word in words where line.contains(word) {
                    Issue.record("\(file.path):\(index + 1) says \(word)")
                }
            }
        }
    }
}

@Suite("Documents")
struct DocumentTests {
    private static func documents() throws -> [SourceTree.File] {
        try SourceTree.files("", ending: "md").filter { !$0.path.hasPrefix(".") }
    }

    @Test func `every document begins with a title`() throws {
        for file in try Self.documents() {
            #expect(file.lines.first?.hasPrefix("# ") == true, "\(file.path)")
        }
    }

    @Test func `every link to a file leads to one`() throws {
        for file in try Self.documents() {
            let folder = SourceTree.root.appendingPathComponent(file.path)
                .deletingLastPathComponent()
            for line in file.lines {
                for match in line.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
                    let target = folder.appendingPathComponent(String(match.1))
                    #expect(
                        FileManager.default.fileExists(atPath: target.path),
                        "\(file.path) links to \(match.1)")
                }
            }
        }
    }

    /// The cells of a document's tables, without heads.
    private static func rows(of path: String) throws -> [[Substring]] {
        try SourceTree.files("docs", ending: "md").filter { $0.path == path }.flatMap(\.lines)
            .filter { $0.hasPrefix("| ") }.map { $0.split(separator: " | ") }
    }

    /// The names of the tests in some files.
    private static func names(_ files: [SourceTree.File]) -> Set<String> {
        Set(
            files.flatMap { $0.lines.joined(separator: "\n").matches(of: /func `([^`]+)`/) }
                .map { String($0.1) })
    }

    @Test func `every row about the outbox names tests that exist`() throws {
        let known = Self.names(try SourceTree.files("Tests", ending: "swift"))
        let rows = try Self.rows(of: "docs/proofs.md").filter { $0.count == 3 }
            .filter { $0[2].hasPrefix("`") && $0[2].contains(" ") }
        #expect(rows.count >= 20)
        for row in rows {
            for match in row[2].matches(of: /`([^`]+)`/) {
                #expect(known.contains(String(match.1)), "there is no test '\(match.1)'")
            }
        }
    }

    @Test func `every row of the page for iOS names tests that exist`() throws {
        let tests = try SourceTree.files("Tests", ending: "swift")
        let known = Self.names(tests)
        var named: Set<String> = []
        let rows = try Self.rows(of: "docs/from-ios.md").filter { !$0[0].contains("on iOS") }
        #expect(rows.count >= 40)
        for row in rows {
            #expect(row.count == 3, "\(row)")
            let cell = row.last?.matches(of: /`([^`]+)`/).map { String($0.1) } ?? []
            #expect(!cell.isEmpty, "\(row) names no test")
            for name in cell { #expect(known.contains(name), "there is no test '\(name)'") }
            named.formUnion(cell)
        }
        let samples = Self.names(tests.filter { $0.path.hasPrefix("Tests/SeedSampleTests/") })
        #expect(samples.count > 25)
        #expect(samples.subtracting(named).isEmpty, "\(samples.subtracting(named)) in no row")
    }
}
