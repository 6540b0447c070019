import DataProtection
import Foundation
import ProtectedMount
import Testing

/// Programs that save files in their own way: each keeps the class of what it saves.
@Suite("The class of a file is kept", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct ProgramTests {
    /// A mounted volume with a file of class `complete` in a folder that gives a weaker one.
    private func rig() throws -> MountRig {
        let rig = try MountRig()
        try rig.volume.write(Array("old text\n".utf8), to: "note.txt", class: .complete)
        return rig
    }

    private func expectSaved(
        _ rig: MountRig, _ comment: String
    ) throws {
        let (name, text) = ("note.txt", "new text\n")
        #expect(try bytes(at: rig.at(name)) == Array(text.utf8), "\(comment)")
        #expect(
            try rig.volume.attributes(of: name).protectionClass == .complete, "\(comment)")
    }

    @Test(
        .enabled(if: Machine.has("vim"), "needs vim"),
        arguments: [
            "set nobackup nowritebackup", "set backup backupcopy=yes", "set backup backupcopy=no",
            "set writebackup backupcopy=auto", "set nowritebackup backupcopy=no",
        ])
    func `by vim`(_ settings: String) throws {
        let rig = try rig()
        // Vim makes no backups below /tmp by itself, where a clone of this project may be.
        let result = try run(
            [
                "vim", "-Nu", "NONE", "-es", "-c", "set backupskip=", "-c", settings, "-c",
                "%s/old/new/", "-c", "wq",
                "note.txt",
            ], in: rig.path)
        try expectSaved(rig, settings + result.output)
        if settings.contains("set backup") {
            #expect(try rig.volume.attributes(of: "note.txt~").protectionClass == .complete)
        }
    }

    @Test(
        .enabled(if: Machine.has("emacs"), "needs emacs"),
        arguments: [
            "(setq make-backup-files t)", "(setq make-backup-files nil)",
            "(setq backup-by-copying t)", "(setq file-precious-flag t)",
        ])
    func `by emacs`(_ settings: String) throws {
        let rig = try rig()
        let edit = """
            (progn \(settings) (find-file "note.txt") (replace-string "old" "new") (save-buffer))
            """
        let result = try run(["emacs", "-Q", "--batch", "--eval", edit], in: rig.path)
        try expectSaved(rig, settings + result.output)
    }

    @Test(
        .enabled(if: Machine.has("nano"), "needs nano"), arguments: [[], ["--backup"]])
    func `by nano`(_ options: [String]) throws {
        let rig = try rig()
        // Nano wants a terminal: delete "old", type "new", save, leave.
        let typing = """
            import os, pty, select, sys, time
            process, terminal = pty.fork()
            if process == 0: os.execvp('nano', ['nano'] + sys.argv[1:] + ['note.txt'])
            def settle():
                while select.select([terminal], [], [], 0.7)[0]:
                    try: os.read(terminal, 65536)
                    except OSError: return
            settle()
            for part in ['\\033[3~'] * 3 + ['new', '\\017', '\\r', '\\030']:
                os.write(terminal, part.encode().decode('unicode_escape').encode())
                settle()
            os.waitpid(process, 0)
            """
        let result = try run(["python3", "-c", typing, "-I"] + options, in: rig.path)
        try expectSaved(rig, result.output)
    }

    @Test func `by sed -i, by Python's replace and by mv`() throws {
        for words in [
            ["sed", "-i", "s/old/new/", "note.txt"], ["sed", "-i.bak", "s/old/new/", "note.txt"],
            [
                "python3", "-c",
                "import os; open('t','w').write('new text\\n'); os.replace('t','note.txt')",
            ],
            ["sh", "-c", "sed s/old/new/ note.txt > other && mv other note.txt"],
            ["perl", "-pi", "-e", "s/old/new/", "note.txt"],
        ] {
            let rig = try rig()
            let result = try run(words, in: rig.path)
            try expectSaved(rig, "\(words): \(result.output)")
        }
    }

    @Test(.enabled(if: Machine.has("rsync"), "needs rsync"))
    func `by rsync, which writes beside and renames`() throws {
        let rig = try rig()
        try put("new text\n", rig.base + "/source")
        for options in [["-c"], ["-c", "--inplace"]] {
            let result = try run(
                ["rsync"] + options + [rig.base + "/source", rig.at("note.txt")])
            try expectSaved(rig, "\(options): \(result.output)")
        }
    }

    @Test(.enabled(if: Machine.has("git"), "needs git"))
    func `by git, for everything in a folder that gives it`() throws {
        let rig = try MountRig()
        try rig.volume.makeFolder("work", class: .complete)
        let work = rig.at("work")
        try put("one\n", work + "/a")
        let settings = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
        for words in [
            ["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"],
            ["checkout", "-qb", "other"], ["mv", "a", "b"], ["commit", "-qam", "second"],
            ["checkout", "-q", "main"], ["merge", "-q", "other"], ["gc", "-q"],
            ["fsck", "--full", "--strict"],
        ] {
            let result = try run(["git"] + settings + words, in: work)
            #expect(result.status == 0, "\(words): \(result.output)")
        }
        #expect(try bytes(at: work + "/b") == Array("one\n".utf8))
        let walk = try #require(FileManager.default.enumerator(atPath: work))
        var count = 0
        for case let name as String in walk {
            let attributes = try rig.volume.attributes(of: "work/" + name)
            if attributes.kind == .file { count += 1 }
            #expect(attributes.protectionClass == .complete, "\(name)")
        }
        #expect(count > 10)
    }

    @Test(
        .enabled(if: Machine.has("sqlite3"), "needs sqlite3"),
        arguments: ["delete", "truncate", "wal"])
    func `by sqlite3, and of what stands beside its database`(_ mode: String) throws {
        let rig = try MountRig()
        try rig.volume.write([], to: "data.db", class: .complete)
        let work = """
            pragma journal_mode=\(mode);
            create table t (number integer primary key, text text);
            with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
            insert into t select i, hex(randomblob(50)) from n;
            """
        let made = try run(["sqlite3", "data.db", work], in: rig.path)
        #expect(made.status == 0, "\(made.output)")
        let watch = try run(
            [
                "sqlite3", "data.db", "begin immediate", "update t set text = 'x' where number < 9",
                ".shell ls", "commit", "pragma integrity_check", "select count(*) from t",
            ], in: rig.path)
        #expect(watch.output.hasSuffix("ok\n5000\n"), "\(watch.output)")
        #expect(try rig.volume.attributes(of: "data.db").protectionClass == .complete)
        for name in watch.output.split(separator: "\n").map(String.init)
        where name.hasPrefix("data.db-") {
            let expected: ProtectionClass =
                name.hasSuffix("-shm") ? .completeUntilFirstUserAuthentication : .complete
            if let found = try? rig.volume.attributes(of: name) {
                #expect(found.protectionClass == expected, "\(name)")
            }
        }
    }
}
