import DataProtection
import Foundation
import Testing

/// The tables of docs/classes.md are made from what happens on volumes, and compared with the page.
/// SEAL_UPDATE_DOCUMENTS=1 writes them anew.
@Suite(.serialized) struct `The page about classes` {
    @Test(arguments: ["new files", "files that are there"])
    func `says what happens`(table: String) throws {
        let page = Repository.file("docs/classes.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = "<!-- table: \(table) -->\n"
        let parts = text.components(separatedBy: start)
        try #require(parts.count == 2)
        let rest = parts[1].components(separatedBy: "<!-- end -->")
        let made = table == "new files" ? try NewFileRow.table() : try PresentFileRow.table()
        if ProcessInfo.processInfo.environment["SEAL_UPDATE_DOCUMENTS"] != nil {
            let end = rest.dropFirst().map { "<!-- end -->" + $0 }.joined()
            try Data((parts[0] + start + made + end).utf8).write(to: page)
        } else {
            #expect(rest[0] == made)
        }
    }
}

private let head = "| what happens | `safer` | `apple` |\n|---|---|---|\n"

private func row(_ title: String, _ cell: (RuleSet) throws -> String) throws -> String {
    let safer = try cell(.safer)
    let apple = try cell(.apple)
    return "| \(title) | \(safer) | \(apple == safer ? "the same" : apple) |\n"
}

/// A file that is made in a folder of class `completeUntilFirstUserAuthentication`.
private struct NewFileRow: Sendable {
    let title: String
    /// Does it, and returns the path of the new file.
    let make: @Sendable (ProtectedVolume) throws -> String

    static let rows = [
        NewFileRow(title: "a program makes `a` and asks for `none`") {
            _ = try $0.openFile("in/a", [.write, .create], class: ProtectionClass.none)
            return "in/a"
        },
        NewFileRow(title: "a program makes `b`") {
            _ = try $0.openFile("in/b", [.write, .create])
            return "in/b"
        },
        NewFileRow(title: "`c` is `complete`; vim moves it to `c~` and writes `c` anew") {
            try $0.write([1], to: "in/c", class: .complete)
            try $0.rename("in/c", to: "in/c~")
            _ = try $0.openFile("in/c", [.write, .create])
            return "in/c"
        },
        NewFileRow(title: "`d` is `complete`; a program writes it atomically and asks for nothing")
        {
            try $0.write([1], to: "in/d", class: .complete)
            try $0.write([2], to: "in/d")
            return "in/d"
        },
        NewFileRow(title: "`e` is `complete`; SQLite makes `e-wal`") {
            try $0.write([1], to: "in/e", class: .complete)
            _ = try $0.openFile("in/e-wal", [.write, .create])
            return "in/e-wal"
        },
        NewFileRow(
            title: "`f` is `complete`, in a folder of class `complete`; SQLite makes `f-shm`"
        ) {
            try $0.makeFolder("strong", class: .complete)
            try $0.write([1], to: "strong/f")
            _ = try $0.openFile("strong/f-shm", [.write, .create])
            return "strong/f-shm"
        },
        NewFileRow(title: "`g` is `complete`; `h`, a link to it, is written atomically") {
            try $0.write([1], to: "in/g", class: .complete)
            try $0.makeSymbolicLink("in/h", target: "g")
            try $0.write([2], to: "in/h")
            return "in/g"
        },
    ]

    static func table() throws -> String {
        try head
            + rows.map { entry in
                try row(entry.title) { rules in
                    let rig = try VolumeRig(rules: rules)
                    try rig.volume.makeFolder("in", class: .completeUntilFirstUserAuthentication)
                    let path = try entry.make(rig.volume)
                    return "`\(try #require(try rig.volume.protectionClass(of: path)).name)`"
                }
            }.joined()
    }
}

/// What happens to a file that is there, for all pairs of its class and another.
private struct PresentFileRow: Sendable {
    let title: String
    /// Does it to `f`, of the first class, where the second is another file's, folder's or the one
    /// that is asked for. Returns the path under which `f` is then.
    let act: @Sendable (ProtectedVolume, ProtectionClass) throws -> String

    static let rows = [
        PresentFileRow(title: "it is opened, whatever class is asked for") {
            _ = try $0.openFile("f", [.write, .create], class: $1)
            return "f"
        },
        PresentFileRow(title: "it is opened with truncation") { volume, _ in
            _ = try volume.openFile("f", [.write, .truncate])
            return "f"
        },
        PresentFileRow(
            title: "it is moved into another folder, also one that gives a stronger class"
        ) {
            try $0.makeFolder("folder", class: $1)
            try $0.rename("f", to: "folder/f")
            return "folder/f"
        },
        PresentFileRow(title: "it gets a second name in another folder") {
            try $0.makeFolder("folder", class: $1)
            try $0.link("f", to: "folder/f")
            return "folder/f"
        },
        PresentFileRow(title: "it is renamed over another file") {
            try $0.write([1], to: "other", class: $1)
            try $0.rename("f", to: "other")
            return "other"
        },
        PresentFileRow(title: "it changes places with another file") {
            try $0.write([1], to: "other", class: $1)
            try $0.rename("f", to: "other", rule: .exchange)
            return "other"
        },
        PresentFileRow(title: "its folder gets another class") {
            try $0.setProtectionClass($1, of: "")
            return "f"
        },
        PresentFileRow(title: "somebody sets its class") {
            try $0.setProtectionClass($1, of: "f")
            return "f"
        },
    ]

    static func table() throws -> String {
        try head + rows.map { entry in try row(entry.title, entry.outcome) }.joined()
    }

    /// What all pairs of classes have in common.
    private func outcome(_ rules: RuleSet) throws -> String {
        var candidates: [(String, (ProtectionClass, ProtectionClass) -> ProtectionClass)] = [
            ("keeps its class", { own, _ in own }),
            ("the stronger of the two", { $0.isStricter(than: $1) ? $0 : $1 }),
            ("gets it", { _, other in other }),
        ]
        for own in ProtectionClass.allCases {
            for other in ProtectionClass.allCases {
                let rig = try VolumeRig(rules: rules)
                try rig.volume.write([1], to: "f", class: own)
                let path = try act(rig.volume, other)
                let found = try #require(try rig.volume.protectionClass(of: path))
                candidates.removeAll { $0.1(own, other) != found }
            }
        }
        let sentence = try #require(candidates.first?.0)
        return try sentence
            + (isRefused(rules)
                ? "; `EPERM`, and nothing has changed, if that needs a key that is not there" : "")
    }

    /// Whether, while locked, a `none` file stays as it was where `complete` would be needed.
    private func isRefused(_ rules: RuleSet) throws -> Bool {
        let rig = try VolumeRig(rules: rules)
        try rig.volume.write([1], to: "f", class: ProtectionClass.none)
        try rig.volume.write([2], to: "other", class: .complete)
        rig.volume.lock()
        let code = refusal {
            // What comes before the last step is done by the act itself, except a file of a class.
            switch title {
            case "it is renamed over another file": try rig.volume.rename("f", to: "other")
            case "it changes places with another file":
                try rig.volume.rename("f", to: "other", rule: .exchange)
            default: _ = try act(rig.volume, .complete)
            }
        }
        guard code != nil else { return false }
        #expect(code == .sealed)
        #expect(try rig.volume.protectionClass(of: "f") == ProtectionClass.none)
        #expect(try rig.volume.read("f") == [1])
        return true
    }
}
