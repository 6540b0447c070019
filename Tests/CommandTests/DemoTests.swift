import DataProtection
import Foundation
import TestSupport
import Testing
import seal

/// The table of Data Protection, written down from Apple's documents, against what the
/// demonstration did.
@Suite struct DemoTests {
    /// For each class and operation: before the first unlock, unlocked, locked.
    static let table: [(name: String, rows: String)] = [
        (
            "complete",
            """
            create          EPERM ok EPERM
            read            EPERM ok EPERM
            write           EPERM ok EPERM
            readOpenHandle  n/a   ok EPERM
            writeOpenHandle n/a   ok EPERM
            reopen          n/a   ok n/a
            stat            ok    ok ok
            list            ok    ok ok
            rename          ok    ok ok
            delete          ok    ok ok
            lower           EPERM ok EPERM
            raise           n/a   n/a n/a
            """
        ),
        (
            "completeUnlessOpen",
            """
            create          ok    ok ok
            read            EPERM ok EPERM
            write           EPERM ok EPERM
            readOpenHandle  n/a   ok ok
            writeOpenHandle n/a   ok ok
            reopen          EPERM ok EPERM
            stat            ok    ok ok
            list            ok    ok ok
            rename          ok    ok ok
            delete          ok    ok ok
            lower           EPERM ok EPERM
            raise           EPERM ok EPERM
            """
        ),
        (
            "completeUntilFirstUserAuthentication",
            """
            create          EPERM ok ok
            read            EPERM ok ok
            write           EPERM ok ok
            readOpenHandle  n/a   ok ok
            writeOpenHandle n/a   ok ok
            reopen          n/a   ok ok
            stat            ok    ok ok
            list            ok    ok ok
            rename          ok    ok ok
            delete          ok    ok ok
            lower           EPERM ok ok
            raise           EPERM ok ok
            """
        ),
        (
            "none",
            """
            create          ok    ok ok
            read            ok    ok ok
            write           ok    ok ok
            readOpenHandle  n/a   ok ok
            writeOpenHandle n/a   ok ok
            reopen          ok    ok ok
            stat            ok    ok ok
            list            ok    ok ok
            rename          ok    ok ok
            delete          ok    ok ok
            lower           n/a   n/a n/a
            raise           EPERM ok ok
            """
        ),
    ]

    static var expected: [String: String] {
        var cells: [String: String] = [:]
        for (name, rows) in table {
            for row in rows.split(separator: "\n") {
                let words = row.split(separator: " ").map(String.init)
                for (index, state) in ["beforeFirstUnlock", "unlocked", "locked"].enumerated() {
                    cells["\(name) \(state) \(words[0])"] = words[index + 1]
                }
            }
        }
        return cells
    }

    private static func cells(_ rows: [DemoRow]) -> [String: String] {
        let pairs = rows.map {
            ("\($0.protectionClass.name) \($0.state.rawValue) \($0.operation.rawValue)", $0.result)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func run(_ rules: AccessRules) throws -> [String: String] {
        let folder = try ScratchFolder()
        let run = try DemoRun(
            at: folder.path(of: "volume"), deviceKeyPath: folder.path(of: "device.key"),
            accessRules: rules
        ) { place in try place.tryBeforeFirstUnlock(accessRules: rules) }
        return cells(run.rows)
    }

    @Test func `what seal demo prints as JSON is the table, all 144 cells of it`() throws {
        let (output, status) = try SessionShell().runRaw("seal demo --json")
        #expect(status == 0)
        let rows = try JSONDecoder().decode([[String: String]].self, from: output)
        #expect(rows.count == 144)
        var found: [String: String] = [:]
        for row in rows {
            #expect(Set(row.keys) == ["class", "state", "operation", "result"])
            found["\(row["class"]!) \(row["state"]!) \(row["operation"]!)"] = row["result"]
        }
        for (cell, result) in Self.expected { #expect(found[cell] == result, "\(cell)") }
        #expect(found.count == 144)
        #expect(Self.expected.count == 144)
    }

    @Test func `a rule that is changed changes its cells and no other`() throws {
        var rules = AccessRules()
        rules.useHandleWhileLocked.remove(.completeUnlessOpen)
        let changed = try Self.run(rules)
        let different = Set(Self.expected.filter { changed[$0.key] != $0.value }.map(\.key))
        // A new file cannot be written either then, so there is none to open again.
        #expect(
            different == [
                "completeUnlessOpen locked readOpenHandle",
                "completeUnlessOpen locked writeOpenHandle", "completeUnlessOpen locked create",
                "completeUnlessOpen locked reopen",
            ])
        #expect(changed["completeUnlessOpen locked readOpenHandle"] == "EPERM")
        #expect(changed["completeUnlessOpen locked reopen"] == "n/a")
    }

    @Test func `without its rule, a class cannot be opened while locked`() throws {
        var rules = AccessRules()
        rules.openWhileLocked.remove(.none)
        let changed = try Self.run(rules)
        #expect(changed["none locked read"] == "EPERM")
        #expect(changed["none locked stat"] == "ok")
        #expect(changed["none beforeFirstUnlock read"] == "ok")
    }

    @Test func `the story fits on one page, and has no colours in a pipe`() throws {
        let (output, status) = try SessionShell().runRaw("seal demo")
        let text = String(decoding: output, as: UTF8.self)
        #expect(status == 0)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("completeUnlessOpen                    only if it was already open"))
        #expect(
            text.contains("complete                              no                             no")
        )
    }
}
