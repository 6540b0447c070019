import CSQLite
import DataProtection
import Foundation
import ProtectedDatabase
import TestSupport
import Testing

/// Names in `ATTACH` and `VACUUM INTO` that lead out of the volume.
@Suite struct `A database that is attached` {
    private static let refused = DatabaseOutcome.failed(.other)

    /// Names of a host file, as SQLite reads them.
    private static func names(_ path: String) -> [String] {
        [
            "file:\(path)?vfs=unix", "file://\(path)?vfs=unix", "file:\(path)?mode=rwc&vfs=unix",
            "file:\(path)?%76fs=unix", "file:\(path)?vfs=%75nix", "file:\(path)?vfs=unix-none#x",
            "file:\(path)?vfs%00x=unix", "file:\(path)?vfs=unix%00x&a", "file:\(path)?=a&vfs=unix",
            "file:\(path)?&&vfs=unix&class=complete", "file:\(path)%00x?vfs=unix-dotfile",
            "file:\(path)?class&vfs=unix", "file:\(path)?vfs=unix-excl&vfs=unix",
        ]
    }

    /// A volume with a database, and an empty folder of the host.
    private struct Site {
        let rig: DatabaseRig
        let database: ProtectedDatabase
        let folder: ScratchFolder
        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        }

        init() throws {
            rig = try DatabaseRig()
            database = try rig.database(class: .complete)
            try database.execute("CREATE TABLE t (a)")
            try database.execute("INSERT INTO t VALUES ('secret')")
            folder = try ScratchFolder()
        }
    }

    @Test func `is none of the host, however it is named`() throws {
        let site = try Site()
        for name in Self.names(site.folder.path(of: "out")) {
            let calls: [() throws -> Void] = [
                { try site.database.execute("ATTACH '\(name)' AS o") },
                { try site.database.execute("ATTACH ? AS o", [.text(name)]) },
                { try site.database.execute("ATTACH '\(name.prefix(9))' || ? AS o", ["x"]) },
                { try site.database.execute("VACUUM INTO '\(name)'") },
                { try site.database.execute("VACUUM INTO ?", [.text(name)]) },
            ]
            for (index, call) in calls.enumerated() {
                #expect(DatabaseOutcome(call) == Self.refused, "\(name), call \(index)")
            }
            #expect(try site.files.isEmpty, "\(name)")
        }
        do {
            try site.database.execute("ATTACH 'file:/x?vfs=unix' AS o")
        } catch {
            #expect(error.code == SQLITE_AUTH && !error.isLocked)
            #expect(
                error.message == "'file:/x?vfs=unix' is not in the volume and is not attached")
        }
        #expect(try site.database.query("PRAGMA database_list").count == 1)
        #expect(try site.database.text("SELECT a FROM t") == "secret")
    }

    /// The control: a connection that nobody watches writes to the host by each of the names.
    @Test func `is one of the host where nobody looks at its name`() throws {
        let site = try Site()
        let path = site.folder.path(of: "out")
        for name in Self.names(path) {
            let plain = PlainConnection("db", vfs: site.rig.volume.databaseVFSName)
            #expect(plain.run("VACUUM INTO '\(name)'") == SQLITE_OK, "\(name)")
            #expect(try site.files == ["out"], "\(name)")
            let bytes = FileManager.default.contents(atPath: path)
            #expect(bytes?.firstRange(of: Array("secret".utf8)) != nil, "\(name)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `may be any of the volume, or memory`() throws {
        let site = try Site()
        let volume = site.rig.volume
        let names = [
            "a", "/b", "file:c", "file:/d?mode=rwc&class=complete", volume.databaseURI("e"),
            volume.databaseURI("odd ?vfs=unix&#name"), ":memory:", "", "file::memory:",
        ]
        for name in names {
            try site.database.execute("ATTACH ? AS o", [.text(name)])
            try site.database.execute("CREATE TABLE o.t AS SELECT * FROM main.t")
            #expect(try site.database.text("SELECT a FROM o.t") == "secret")
            try site.database.execute("DETACH o")
            let literal = name.replacingOccurrences(of: "'", with: "''")
            try site.database.execute("ATTACH '\(literal)' AS o")
            try site.database.execute("DETACH o")
        }
        #expect(
            Set(try volume.list().map(\.name)).isSuperset(
                of: ["a", "b", "c", "d", "e", "odd ?vfs=unix&#name"]))
        try site.database.execute("VACUUM INTO ?", [.text(volume.databaseURI("f"))])
        #expect(try volume.protectionClass(of: "f") == .complete)
    }

    @Test func `and SQL functions are no way to the host either`() throws {
        let site = try Site()
        let path = site.folder.path(of: "out")
        for function in [
            "load_extension('\(path)')", "writefile('\(path)', 'secret')",
            "readfile('/etc/passwd')",
            "edit('secret')", "fts3_tokenizer('x', x'00')",
        ] {
            #expect(
                DatabaseOutcome { _ = try site.database.query("SELECT \(function)") }
                    == Self.refused, "\(function)")
        }
        #expect(
            DatabaseOutcome {
                try site.database.execute(
                    "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')")
            } == Self.refused)
        #expect(try site.files.isEmpty)
    }

    @Test func `is as durable as the main one`() throws {
        let site = try Site()
        let database = site.database
        try database.execute("ATTACH 'a' AS a")
        #expect(try database.text("PRAGMA a.synchronous") == "3")
        // What somebody has chosen stays.
        try database.execute("PRAGMA a.synchronous = NORMAL")
        try database.execute("ATTACH 'b' AS \"b \"\"c\"\"\"")
        #expect(try database.text("PRAGMA \"b \"\"c\"\"\".synchronous") == "3")
        #expect(try database.text("PRAGMA a.synchronous") == "1")
        try database.execute("DETACH a")
        try database.execute("ATTACH 'a' AS a")
        #expect(try database.text("PRAGMA a.synchronous") == "3")
        // SQLite does not let it be changed in a transaction.
        try database.execute("BEGIN")
        try database.execute("ATTACH 'd' AS d")
        #expect(try database.text("PRAGMA d.synchronous") == "2")
        try database.execute("COMMIT")
        #expect(try database.text("PRAGMA d.synchronous") == "3")
    }
}
